#include "session_helper.h"

#include <sys/stat.h>

static char folder[64], file[96];

static void start(void)
{
    start_session();
    snprintf(folder, sizeof folder, "/tmp/test_config.XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/rig.ini", folder);
}

static void stop(void)
{
    end_session();
    remove_tree(folder);
}

static enum aw_status load(const char *text)
{
    end_session();
    start_session();
    write_file(file, text);
    return aw_config_load(session, file);
}

TEST_WITH(start, stop, config_sections_are_read)
{
    if (load("\xEF\xBB\xBF# a comment\n; another\n\n[link]\narm = /dev/ttyUSB0?baud=9600 ; remark\n"
             "far=tcp:host:1\r\n[options]\nlink = @arm\njson = yes\ntimeout: 500ms\n") != AW_OK)
        fail_msg("%s", session->err.text);
    assert_true(session->config->found);
    assert_string_equal(session->config->path, file);
    assert_string_equal(aw_config_find_alias(session, "arm"), "/dev/ttyUSB0?baud=9600");
    assert_string_equal(aw_config_find_alias(session, "far"), "tcp:host:1");
    assert_null(aw_config_find_alias(session, "leg"));
    assert_string_equal(session->options.link.url, "@arm");
    assert_true(session->options.print.json);
    assert_true(session->options.link.timeout_s == 0.5);
    assert_int_equal(aw_options_find(&session->options, "link")->origin, AW_FROM_CONFIG);
}

/* The last value of a repeated key applies. Indented lines do not continue the previous one. */
TEST_WITH(start, stop, repeated_keys_and_indented_lines_are_read)
{
    static const char *const texts[] = {
        "[link]\narm = c:\nleg = b:\narm = a:\n[options]\nlink = x:\nlink = @leg\njson = 1\n",
        "[link]\n  arm = a:\n\tleg = b:\n[options]\n  link = @leg\n  json = 1\n",
    };
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(load(texts[i]), AW_OK);
        assert_string_equal(aw_config_find_alias(session, "arm"), "a:");
        assert_string_equal(aw_config_find_alias(session, "leg"), "b:");
        assert_string_equal(session->options.link.url, "@leg");
        assert_true(session->options.print.json);
    }
}

/* The rest of the file stays valid. */
TEST_WITH(start, stop, valid_lines_apply_despite_errors_in_others)
{
    assert_int_equal(load("[options]\nfrob = 1\njson = yes\nnothing\n[link]\narm = a:\n"),
                     AW_USAGE);
    assert_true(session->options.print.json);
    assert_string_equal(aw_config_find_alias(session, "arm"), "a:");
    assert_int_equal(session->config->n_errors, 2);
}

static const struct {
    const char *text;
    enum aw_status status;
    int line;
    const char *part;
} wrong[] = {
    {"[options]\njsno = yes\n", AW_USAGE, 2, "unknown option '--jsno' — did you mean '--json'?"},
    {"[options]\njson = perhaps\n", AW_USAGE, 2, "--json: unknown value 'perhaps' — use yes or no"},
    {"[options]\n\n# x\ntimeout = 5mm\n", AW_USAGE, 4, "--timeout"},
    {"[options]\ntimeout = -1\n", AW_LIMIT, 2, "--timeout: -1 s is out of range"},
    {"[options]\ncolor = sometime\n", AW_USAGE, 2, "--color: unknown value 'sometime'"},
    {"[options]\nlink =\n", AW_USAGE, 2, "--link: empty value — give URL"},
    {"[joint elbow]\nindex = 2\n", AW_USAGE, 2, "unknown section [joint elbow] — use [link] or"},
    {"json = yes\n", AW_USAGE, 1, "unknown section []"},
    {"[options\njson = yes\n", AW_USAGE, 1, "invalid line — write [section] or key = value"},
    {"[options]\njson\n", AW_USAGE, 2, "invalid line — write [section] or key = value"},
    {"[options]\njson\nfrob = 1\n", AW_USAGE, 2, "invalid line — write [section] or key = value"},
    {"[options]\nfrob = 1\njson\n", AW_USAGE, 2, "unknown option '--frob'"},
    {"[options]\nfrob = 1\nfreb = 1\n", AW_USAGE, 2, "unknown option '--frob'"},
};

TEST_WITH(start, stop, errors_name_the_line)
{
    char place[160];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        enum aw_status status = load(wrong[i].text);
        if (status != wrong[i].status)
            fail_msg("%s: %d %s", wrong[i].text, status, session->config->error.text);
        snprintf(place, sizeof place, "%s:%d:1: ", file, wrong[i].line);
        assert_has(session->config->error.text, place);
        assert_has(session->config->error.text, wrong[i].part);
        assert_int_equal(session->config->incomplete, strncmp(wrong[i].text, "[options]", 9) != 0 ||
                                                          strstr(wrong[i].text, "json\n") != NULL);
    }
}

/* Longer lines are refused, not truncated. Line numbers are correct even after a long comment. */
TEST_WITH(start, stop, overlong_lines_are_refused)
{
    char text[1024] = "[options]\nlink = ";
    memset(text + strlen(text), 'x', 600);
    strcat(text, "\n");
    enum aw_status status = load(text);
    assert_true(status == AW_USAGE ||
                (status == AW_OK && strlen(session->options.link.url) == 600));
    memset(text, 0, sizeof text);
    strcpy(text, "[options]\n#");
    memset(text + strlen(text), 'x', 150);
    strcat(text, "\nfrob = 1\n");
    assert_int_equal(load(text), AW_USAGE);
    assert_has(session->config->error.text, ":3:1: unknown option '--frob'");
}

TEST_WITH(start, stop, number_of_options_is_limited)
{
    static char text[8192] = "[options]\n";
    for (int i = 0; i < AW_OPTIONS_MAX; i++)
        sprintf(text + strlen(text), "link = u%d\n", i);
    assert_int_equal(load(text), AW_OK);
    assert_string_equal(session->options.link.url, "u63");
    strcat(text, "link = x\n");
    assert_int_equal(load(text), AW_USAGE);
    assert_has(session->config->error.text, ":66:1: more than 64 options");
}

static enum aw_status configure(struct aw_session *s, const char *section, const char *key,
                                const char *value, struct aw_error *err)
{
    (void)s;
    if (strcmp(section, "joint elbow") == 0 && strcmp(key, "index") == 0 && *value == '2')
        return AW_OK;
    return aw_fail(err, AW_LIMIT, "[%s] %s: %s will not do", section, key, value);
}

TEST_WITH(start, stop, other_sections_belong_to_the_tool)
{
    tool.state.set_config_key = configure;
    write_file(file, "[joint elbow]\nindex = 2\n");
    assert_int_equal(aw_config_load(session, file), AW_OK);
    write_file(file, "[joint elbow]\nindex = 2\nindex = 9\n");
    assert_int_equal(aw_config_load(session, file), AW_LIMIT);
    assert_has(session->config->error.text, ":3:1: [joint elbow] index: 9 will not do");
}

TEST_WITH(start, stop, unreadable_file_is_reported)
{
    char path[128];
    snprintf(path, sizeof path, "%s/none.ini", folder);
    assert_int_equal(aw_config_load(session, path), AW_USAGE); /* the option names the file */
    assert_has(session->config->error.text, path);
    assert_has(session->config->error.text, "No such file");
    assert_false(session->config->found);
    assert_int_equal(aw_config_load(session, folder), AW_USAGE);
    assert_has(session->config->error.text, "Is a directory");
    assert_true(session->config->incomplete);
}

TEST_WITH(start, stop, default_config_file_is_read)
{
    char path[160];
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("HOME", "/nonexistent", 1);
    assert_int_equal(aw_config_load(session, NULL), AW_OK); /* there is no file */
    assert_false(session->config->found);
    snprintf(path, sizeof path, "%s/armwire", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    strcat(path, "/rig.ini");
    write_file(path, "[options]\njson = on\n");
    assert_int_equal(aw_config_load(session, NULL), AW_OK);
    assert_string_equal(session->config->path, path);
    assert_true(session->options.print.json);
    setenv("XDG_CONFIG_HOME", "", 1);
    assert_int_equal(aw_config_load(session, NULL), AW_OK);
    assert_string_equal(session->config->path, "/nonexistent/.config/armwire/rig.ini");
    unsetenv("HOME");
    assert_int_equal(aw_config_load(session, NULL), AW_OK);
    assert_string_equal(session->config->path, "");
    unsetenv("XDG_CONFIG_HOME");
}

TEST_WITH(start, stop, directories_of_state_files_are_created)
{
    char path[256], expected[160];
    struct stat info;
    setenv("XDG_STATE_HOME", folder, 1);
    aw_write_state_path(session, "history", path, sizeof path);
    snprintf(expected, sizeof expected, "%s/armwire/rig/history", folder);
    assert_string_equal(path, expected);
    *strrchr(path, '/') = '\0';
    assert_int_equal(stat(path, &info), 0);
    assert_true(S_ISDIR(info.st_mode));
    assert_int_equal(info.st_mode & 077, 0); /* private to the user */
    unsetenv("XDG_STATE_HOME");
    setenv("HOME", folder, 1);
    aw_write_state_path(session, "history", path, sizeof path);
    snprintf(expected, sizeof expected, "%s/.local/state/armwire/rig/history", folder);
    assert_string_equal(path, expected);
    unsetenv("HOME");
    aw_write_state_path(session, "history", path, sizeof path);
    assert_string_equal(path, "");
}

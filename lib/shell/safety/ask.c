/* Asks for confirmation on the terminal, and reads keys. Without a terminal the answer is no,
 * unless --yes is given. */
#include "shell/safety/ask.h"

#include <unistd.h>

#include "base/ready.h"
#include "shell/safety/safety.h"

bool aw_session_confirm(struct aw_session *session, const char *question)
{
    char answer[16] = "";
    if (session->options.run.yes)
        return true;
    if (session->options.run.no_input || !isatty(STDIN_FILENO))
        return false;
    aw_session_print_result(session);
    aw_output_flush(&session->out, NULL);
    aw_session_report(session, "%s: %s [y/N] ", session->tool->name, question);
    return aw_session_wait_input(session, STDIN_FILENO, AW_NEVER) == AW_OK &&
           aw_read_ready(STDIN_FILENO, answer, sizeof answer - 1) > 0 &&
           (answer[0] == 'y' || answer[0] == 'Y');
}

bool aw_terminal_read_keys(struct termios *old_settings)
{
    if (tcgetattr(STDIN_FILENO, old_settings) != 0)
        return false;
    struct termios single = *old_settings;
    single.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    single.c_cc[VMIN] = 1;
    single.c_cc[VTIME] = 0;
    return tcsetattr(STDIN_FILENO, TCSANOW, &single) == 0;
}

/* The experiments as commands, for every tool whose joints support them (experiment_joint.h). */
#ifndef AW_TUNING_VERBS_VERBS_H
#define AW_TUNING_VERBS_VERBS_H

#include "shell/look/picture.h"
#include "tuning/design.h"
#include "tuning/verbs/experiment_joint.h"

/* Returns the tool's hooks; or those for the joints of packet files, and for a tool whose joints
 * are steered. The option speed limits joints that have no speed limit of their own. */
const struct aw_experiment_hooks *aw_experiment_get_hooks(const struct aw_session *session);

/* Options of an experiment and of its output files. Strings are NULL if not given. */
struct aw_experiment_options {
    const char *from, *to, *around, *with, *step;
    const char *save, *samples, *plot, *bode, *old;
    double settle_s, tick_s, amplitude; /* tick_s 0: not given */
};

/* Options of sweep. */
struct aw_sweep_options {
    struct aw_experiment_options all;
    const char *amplitude;
    double from_hz, to_hz;
    int64_t tones;
};
/* Options of identify with a recorded file. */
struct aw_record_options {
    struct aw_experiment_options all;
    const char *time, *input, *output;
    bool dead_band;
};
/* Options of design and tune. */
struct aw_tune_options {
    struct aw_experiment_options all;
    int form; /* enum aw_form */
    int goal; /* 0: IAE, 1: overshoot, 2: settling time */
    double ms, overshoot, noise;
};
AW_GIVEN(command, aw_experiment_options, aw_experiment_given)
AW_GIVEN(command, aw_sweep_options, aw_sweep_given)
AW_GIVEN(command, aw_record_options, aw_record_given)
AW_GIVEN(command, aw_tune_options, aw_tune_given)

/* Options of the commands. Each tool documents its deviation limits itself. */
/* clang-format off */
#define AW_SAVE_OPTION                                                                            \
    {.name = "save", AW_AT(aw_experiment_options, save), .value = "FILE",                         \
     .help = "write the samples as CSV"}
#define AW_PLOT_OPTION                                                                            \
    {.name = "plot", AW_AT(aw_experiment_options, plot), .value = "FILE",                         \
     .help = "write the plot to an .svg, .png, .pdf or .gp file", AW_PICTURE}
#define AW_SETTLE_OPTION                                                                          \
    {.name = "settle", AW_AT(aw_experiment_options, settle_s), .value = "TIME",                   \
     .help = "time at rest before the start", .fallback = "1s", .unit = "s", .min = 0, .max = 60}

#define AW_DEVIATION_OPTION(does)                                                                 \
    {.name = "max-deviation", AW_AT_ALL(move.max_deviation), .value = "VALUE", .help = does}
/* Rows of the commands, except for args, texts and examples. of: text appended to the summary. The
 * tool's own options follow. */
#define AW_STEP_ROW(of, ...)                                                                      \
    .name = "step", .group = AW_GROUP_MEASURE, .safety = AW_MOTION, .timed = true,                \
    .summary = "measure a step response" of, .run = aw_run_step,                                  \
    .options = AW_OPTIONS(__VA_ARGS__, AW_STEP_OPTIONS)
#define AW_STEP_OPTIONS                                                                           \
    {.name = "from", AW_AT(aw_experiment_options, from), .value = "VALUE",                        \
     .help = "start of the step, such as 0deg"},                                                  \
    {.name = "to", AW_AT(aw_experiment_options, to), .value = "VALUE",                            \
     .help = "target of the step, such as 20deg"},                                                \
    AW_SETTLE_OPTION,                                                                             \
    AW_SAVE_OPTION,                                                                               \
    AW_PLOT_OPTION,                                                                               \
    {.name = "max-rise-time", .value = "TIME",                                                    \
     .help = "fail (exit code 1) if the rise time is longer"},                                    \
    {.name = "max-overshoot", .value = "PERCENT", .help = "fail if above this, such as 10%"},     \
    {.name = "max-settling-time", .value = "TIME", .help = "fail if the settling time is longer"},\
    {.name = "max-steady-state-error", .value = "NUMBER",                                         \
     .help = "fail if the steady-state error is larger, in the unit of the step"},                \
    {.name = "max-iae", .value = "NUMBER", .help = "fail if the IAE is larger, in unit·s"}
#define AW_SWEEP_ROW(of, ...)                                                                     \
    .name = "sweep", .group = AW_GROUP_MEASURE, .safety = AW_MOTION, .timed = true,               \
    .summary = "measure a frequency response" of, .run = aw_run_sweep,                            \
    .options = AW_OPTIONS(__VA_ARGS__, AW_SWEEP_OPTIONS)
#define AW_SWEEP_OPTIONS                                                                          \
    {.name = "around", AW_AT(aw_experiment_options, around), .value = "VALUE",                    \
     .help = "centre of the oscillation (default: 0)"},                                            \
    {.name = "amplitude", AW_AT(aw_sweep_options, amplitude), .value = "VALUE",                   \
     .help = "amplitude of the oscillation, such as 5deg; a plain number has the unit of the "    \
             "joint", .fallback = "5"},                                                           \
    {.name = "from-hz", AW_AT(aw_sweep_options, from_hz), .value = "HZ",                          \
     .help = "lowest frequency", .fallback = "0.2", .unit = "Hz", .min = 0.001, .max = 50},       \
    {.name = "to-hz", AW_AT(aw_sweep_options, to_hz), .value = "HZ", .help = "highest frequency", \
     .fallback = "10", .unit = "Hz", .min = 0.002, .max = 50},                                    \
    {.name = "tones", AW_AT(aw_sweep_options, tones), .value = "COUNT",                           \
     .help = "number of frequencies", .fallback = "16", .unit = "", .min = 2, .max = 32,          \
     .is_integer = true},                                                                         \
    AW_SETTLE_OPTION,                                                                             \
    AW_SAVE_OPTION
#define AW_IDENTIFY_ROW(joint, ...)                                                               \
    .name = "identify", .group = AW_GROUP_MEASURE, .safety = AW_MOTION, .timed = true,            \
    .summary = "identify a process model of " joint ", live or from a recording",                 \
    .run = aw_run_identify, .options = AW_OPTIONS(__VA_ARGS__)
/* Options of identify, from an experiment or a recorded file. of_input: default column for the
 * process input. */
#define AW_MODEL_OPTIONS(of_input)                                                                \
    {.name = "save", AW_AT(aw_experiment_options, save), .value = "FILE",                         \
     .help = "write the model as JSON", .endings = "json"},                                       \
    {.name = "samples", AW_AT(aw_experiment_options, samples), .value = "FILE",                   \
     .help = "write the samples as CSV", .endings = "csv"},                                       \
    {.name = "plot", AW_AT(aw_experiment_options, plot), .value = "FILE", AW_PICTURE,             \
     .help = "plot the frequency response to an .svg, .png, .pdf or .gp file"},                   \
    {.name = "from", AW_AT(aw_experiment_options, from), .value = "FILE",                         \
     .help = "identify from this recording instead of a device", .endings = "csv"},               \
    {.name = "time", AW_AT(aw_record_options, time), .value = "COLUMN",                           \
     .help = "column of the time (s, or with a unit: 't [ms]')", .fallback = "t"},                \
    {.name = "input", AW_AT(aw_record_options, input), .value = "COLUMN",                         \
     .help = "column of the process input", .fallback = of_input},                                \
    {.name = "output", AW_AT(aw_record_options, output), .value = "COLUMN",                       \
     .help = "column of the process output", .fallback = "measured"},                             \
    {.name = "dead-band", AW_AT(aw_record_options, dead_band),                                    \
     .help = "also find the dead band of the input"}
/* The same for joints without settable gains: only setpoints excite them. */
#define AW_IDENTIFY_OPTIONS AW_AROUND_OPTION, AW_MODEL_OPTIONS("setpoint")
/* Options of identify and tune if gains can be sent: the excitation of the controller. */
#define AW_EXCITATION_OPTIONS(with_fallback)                                                      \
    {.name = "with", AW_AT(aw_experiment_options, with), .value = "NAME",                         \
     .help = "experiment: step, relay, multisine or all", .fallback = with_fallback,              \
     .choices = AW_LIST("step", "relay", "multisine", "all")},                                 \
    {.name = "amplitude", AW_AT(aw_experiment_options, amplitude), .value = "FRACTION",           \
     .help = "amplitude of the control output, as a fraction of full scale", .fallback = "0.1",   \
     .unit = "", .min = 0.02, .max = 0.8}
#define AW_AROUND_OPTION                                                                          \
    {.name = "around", AW_AT(aw_experiment_options, around), .value = "VALUE",                    \
     .help = "centre of the excitation (default: the actual position)"}
#define AW_TICK_OPTION(from)                                                                      \
    {.name = "tick", AW_AT(aw_experiment_options, tick_s), .value = "TIME",                       \
     .help = "control period of the firmware, such as 10ms (default: " from ")",                   \
     .unit = "s", .min = 0.0005, .max = 1}
#define AW_OLD_OPTION                                                                             \
    {.name = "old", AW_AT(aw_experiment_options, old), .value = "FILE",                           \
     .help = "file with the current gains, written by 'gains save'", .endings = "gains"}
/* Options of design and tune. a_step: the default step for the help; at_rest: the default of
 * --noise, NULL: the dead band; or: that default as text. */
#define AW_DESIGN_OPTIONS(a_step, at_rest, or)                                                    \
    {.name = "form", AW_AT(aw_tune_options, form), .value = "NAME", .fallback = "pid",            \
     .help = "form of the controller: pid, pd, pi or p", .choices = aw_form_names},               \
    {.name = "ms", AW_AT(aw_tune_options, ms), .value = "NUMBER", .fallback = "1.6",              \
     .help = "maximum sensitivity Ms of the loop", .unit = "", .min = 1.1, .max = 4},             \
    {.name = "overshoot", AW_AT(aw_tune_options, overshoot),                                       \
     .value = "FRACTION",                                                                          \
     .help = "maximum overshoot of the linear loop", .fallback = "20%",                           \
     .unit = "", .min = 0, .max = 10},                                                            \
    {.name = "noise", AW_AT(aw_tune_options, noise),                                               \
     .value = "FRACTION", .unit = "", .min = 1e-6,                                                 \
     .max = 1, .fallback = at_rest,                                                               \
     .help = "maximum output due to noise at rest" or},                                           \
    {.name = "step", AW_AT(aw_experiment_options, step), .value = "VALUE",                        \
     .help = "size of the step, such as " a_step}
#define AW_DESIGN_COMMAND(a_step, at_rest, or, ...)                                               \
    {                                                                                             \
        .name = "design", .group = AW_GROUP_MEASURE,                                              \
        .summary = "compute gains for a model and predict their effect",                          \
        .options = AW_OPTIONS(                                                                    \
            AW_DESIGN_OPTIONS(a_step, at_rest, or), AW_TICK_OPTION("from the model"),             \
            {.name = "plot", AW_AT(aw_experiment_options, plot), .value = "FILE", AW_PICTURE,     \
             .help = "plot the predicted responses to an .svg, .png, .pdf or .gp file"},          \
            {.name = "bode", AW_AT(aw_experiment_options, bode), .value = "FILE", AW_PICTURE,     \
             .help = "plot the open loops over frequency with their margins, and |S| with Ms"}),  \
        .args = AW_ARGS({.name = "model", .kind = AW_ARG_FILE,                                    \
                         .help = "model file, written by 'identify --save'", .endings = "json"}), \
        .offline = true, .lines = AW_LIST(__VA_ARGS__), .run = aw_run_design,                     \
        .details = "Ends with exit code 6 if no gains in the range of the driver meet --ms, "     \
                   "--noise and --overshoot, or if Ms is above 2. --force permits a larger Ms.",  \
    }
/* The row, except for args, run and examples. intro: text before the question; then the tool's own
 * options. */
#define AW_TUNE_ROW(intro, ...)                                                                   \
    .name = "tune", .group = AW_GROUP_MEASURE, .safety = AW_MOTION, .timed = true,                \
    .summary = "find gains for a joint: identify it, design gains, try them, keep the better "    \
        "ones",                                                                                   \
    .options = AW_OPTIONS(                                                                        \
        __VA_ARGS__,                                                                              \
        {.name = "goal", AW_AT(aw_tune_options, goal), .value = "NAME",                           \
         .help = "metric that must improve: iae, overshoot, settling", .fallback = "iae",         \
         .choices = AW_LIST("iae", "overshoot", "settling")},                                     \
        AW_SAVE_OPTION, AW_PLOT_OPTION),                                                          \
    .details = intro " If you agree (--yes), the joint makes a step with the old gains and one "  \
        "with the new gains. The new gains are kept if they improve the metric of --goal and "    \
        "overshoot by no more than --overshoot. Gains outside their range, with Ms above 2, or "  \
        "for a model with a fit below 75 % are tried only with --force."
#define AW_CUSTOM_JOINT                                                                           \
    {.name = "joint", .complete = aw_joints_complete, .help = "joint of the packet file"}
#define AW_CUSTOM_DEVIATION                                                                       \
    AW_DEVIATION_OPTION("hold the joint if it leaves the range of its start and targets by "      \
                        "more than this, such as 15deg")
#define AW_VERIFY_ROW(keys, ...)                                                                  \
    .name = "verify", .group = AW_GROUP_MEASURE, .safety = AW_MOTION, .run = aw_run_verify,       \
    .summary = "run the steps of a specification and check the results",                          \
    .args = AW_ARGS({.name = "spec", .kind = AW_ARG_FILE,                                         \
                     .help = "sections with " keys ", max-overshoot and others"}),                \
    .options = AW_OPTIONS(__VA_ARGS__), .prints = "TAP"
/* clang-format on */

aw_run_fn aw_run_step, aw_run_sweep, aw_run_identify, aw_run_design, aw_run_tune, aw_run_verify;

extern const struct aw_command aw_custom_step_command, aw_custom_sweep_command,
    aw_custom_identify_command, aw_custom_verify_command;

#endif

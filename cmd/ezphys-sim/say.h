/* Log lines of ezphys-sim on standard error. */
#ifndef AW_CMD_EZPHYS_SIM_SAY_H
#define AW_CMD_EZPHYS_SIM_SAY_H

/* Prints a log line. Converts it to ASCII in a locale without UTF-8. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

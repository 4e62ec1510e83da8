/* Log lines of ezphys-sim on standard error. */
#ifndef AW_CMD_EZPHYS_SIM_LOG_H
#define AW_CMD_EZPHYS_SIM_LOG_H

/* Prints a log line. Converts it to ASCII in a locale without UTF-8. */
void print_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

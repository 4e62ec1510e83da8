/* Lines of ezphys-sim on standard error. */
#ifndef AW_CMD_EZPHYS_SIM_SAY_H
#define AW_CMD_EZPHYS_SIM_SAY_H

/* In a locale without UTF-8 they are ASCII. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

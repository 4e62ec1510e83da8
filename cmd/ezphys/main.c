/* The program ezphys: passes its table to the shell. */
#include "shell/main.h"
#include "ezphys.h"

int main(int argc, char **argv)
{
    return aw_main(&ezphys_tool, argc, argv);
}

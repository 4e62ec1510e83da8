/* The program armctl: passes its table to the shell. */
#include "shell/main.h"
#include "armctl.h"

int main(int argc, char **argv)
{
    return aw_main(&armctl_tool, argc, argv);
}

/* The program unitysim: passes its table to the shell. */
#include "shell/main.h"
#include "unitysim.h"

int main(int argc, char **argv)
{
    return aw_main(&unitysim_tool, argc, argv);
}

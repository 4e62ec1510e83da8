/* The program canpid: passes its table to the shell. */
#include "shell/main.h"
#include "canpid.h"

int main(int argc, char **argv)
{
    return aw_main(&canpid_tool, argc, argv);
}

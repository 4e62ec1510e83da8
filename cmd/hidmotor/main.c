/* The program hidmotor: passes its table to the shell. */
#include "shell/main.h"
#include "hidmotor.h"

int main(int argc, char **argv)
{
    return aw_main(&hidmotor_tool, argc, argv);
}

#include "canpid.h"

int main(int argc, char **argv)
{
    return aw_main(&canpid_tool, argc, argv);
}

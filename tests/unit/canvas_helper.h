/* Prints a canvas of braille dots as text. */
#ifndef AW_TESTS_CANVAS_HELPER_H
#define AW_TESTS_CANVAS_HELPER_H

#include <stdio.h>

#include "picture_helper.h"
#include "view/terminal/braille.h"

/* Prints the numbered rows that contain dots, with their colours. */
static inline void print_canvas(const struct aw_braille *canvas, FILE *out)
{
    for (int row = 0; row < canvas->rows; row++) {
        const struct aw_braille_cell *cells = &canvas->cells[row * canvas->columns];
        bool blank = true;
        for (int i = 0; i < canvas->columns; i++)
            blank = blank && !cells[i].dots;
        if (blank)
            continue;
        fprintf(out, "%2d |", row);
        for (int i = 0; i < canvas->columns; i++) {
            char text[5] = "";
            aw_braille_print_cell(&cells[i], AW_BRAILLE_UTF8, text);
            fputs(cells[i].dots ? text : " ", out);
        }
        fputc('|', out);
        for (int i = 0; i < canvas->columns; i++)
            fputc(cells[i].dots ? '0' + cells[i].color : ' ', out);
        fputs("|\n", out);
    }
}

#endif

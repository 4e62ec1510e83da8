/* Names in DBC files that both the parser and the printer need. */
#ifndef AW_PACKETS_DBC_WORDS_H
#define AW_PACKETS_DBC_WORDS_H

#define AW_DBC_NO_NODE "Vector__XXX" /* stands for "no node" */

#endif

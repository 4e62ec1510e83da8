/* Names in DBC files that reading and writing need. */
#ifndef AW_PACKETS_DBC_WORDS_H
#define AW_PACKETS_DBC_WORDS_H

#define AW_DBC_NO_NODE "Vector__XXX" /* stands for "no node" */

#endif

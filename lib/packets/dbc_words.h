/* Words of DBC files for reading and writing. */
#ifndef AW_PACKETS_DBC_WORDS_H
#define AW_PACKETS_DBC_WORDS_H

#define AW_DBC_NO_NODE "Vector__XXX" /* placeholder for a node */

#endif

/* Words of DBC files that are read and written. */
#ifndef AW_PACKETS_DBC_WORDS_H
#define AW_PACKETS_DBC_WORDS_H

#define AW_DBC_NOBODY "Vector__XXX" /* in place of a node */

#endif

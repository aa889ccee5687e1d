/* Flag and value of a tile, told to others twice: first its aggregate, then its inclusive prefix.
 * In one word (ONE_WORD), or in words of their own with a place for each value, a reader has what
 * the flag says. Wrong: one place for both, which is written over while a reader is about to read;
 * or a flag that is up before its value (FLAG_FIRST).
 */
#define AGGREGATE 1
#define PREFIX 2
byte flag, aggregate, prefix;

inline tell(what, place) {
#ifdef ONE_WORD
  d_step { flag = what; place = what }
#else
#ifdef FLAG_FIRST
  flag = what;
  place = what
#else
  place = what;
  flag = what
#endif
#endif
}

active proctype writer() {
  tell(AGGREGATE, aggregate);
#ifdef ONE_PLACE
  tell(PREFIX, aggregate)
#else
  tell(PREFIX, prefix)
#endif
}

active [2] proctype reader() {
  byte seen;
#ifdef ONE_WORD
  atomic { flag != 0 -> seen = flag; assert((seen == PREFIX -> prefix : aggregate) == seen) }
#else
  flag != 0 -> seen = flag;
#ifdef ONE_PLACE
  assert(aggregate == seen)
#else
  assert((seen == PREFIX -> prefix : aggregate) == seen)
#endif
#endif
}

/* Scans through one workspace, call after call: tickets, publication, look-back, epochs that start
 * over, workers of which only some run at a time, workers that fail. Each step is one access as in
 * include/scan/protocol/tile_states.hpp, in sequentially consistent order: weaker orders are the
 * explorer's business (explorer_test.cpp). A word of a tile's state holds { tag, value }; the value
 * is the number of the call, so what is left of another one shows.
 *
 * models_test.py says which of the ways to do it, right or wrong, must pass.
 */
#ifndef WORKERS
#define WORKERS 3       /* of a call */
#endif
#ifndef SLOTS
#define SLOTS 2         /* that run at the same time */
#endif
#ifndef MOST_TILES
#define MOST_TILES 3    /* of a call; how many is chosen for each */
#endif
#ifndef LEAST_TILES
#define LEAST_TILES 1
#endif
#ifndef CALLS
#define CALLS 3
#endif
#ifndef LAST_EPOCH
#define LAST_EPOCH 2
#endif
#ifndef BATCH
#define BATCH 100       /* tiles; who has a batch's last publishes what precedes the next */
#endif
#define NONE 255
#define prefix_of(batch) (MOST_TILES + (batch) - 1)

#ifdef NO_CLEARING      /* wrong: tags just start over */
#define is_last(e) false
#define following(e) ((e) % LAST_EPOCH)
#else
#define is_last(e) ((e) == LAST_EPOCH)
#define following(e) (e)
#endif
#ifdef NO_TAGS          /* wrong: whatever is there counts */
#define is_there(t) (tag[t] != 0)
#else
#define is_there(t) (tag[t] == epoch)
#endif
#ifdef DEAF             /* wrong: who waits does not look whether somebody has failed */
#define gives_up false
#else
#define gives_up abandoned
#endif

/* ---- the workspace ---- */
byte drawn, completed;  /* the word of tickets */
byte retired;
bool abandoned;
byte tag[2 * MOST_TILES], value[2 * MOST_TILES];  /* of tiles, then of batches */

/* ---- the machine ---- */
byte slots = SLOTS;
byte taken[MOST_TILES]; /* how often each tile of the call was handed out */

inline claim(got) {
#ifdef TORN_TICKET      /* wrong: two workers may draw the same */
  got = drawn;
  epoch = completed + 1;
  drawn = got + 1;
#else
#ifdef EPOCH_APART      /* wrong: the last draw may have raised it */
  d_step { got = drawn; drawn++ };
  epoch = completed + 1;
#else
  d_step { got = drawn; epoch = completed + 1; drawn++ };
#endif
#endif
  if
  :: got == num_tiles + WORKERS - 1 && !is_last(epoch) ->
    d_step { drawn = 0; completed = following(epoch) }
  :: else
  fi;
  d_step {
    if
    :: got < num_tiles -> taken[got]++; assert(taken[got] == 1)
    :: else -> got = NONE
    fi
  }
}

inline publish(t) {
  d_step { assert(t < 2 * MOST_TILES); tag[t] = epoch; value[t] = call }
}

/* Waits for state t. */
inline look(t) {
  if
  :: atomic { is_there(t) -> assert(value[t] == call) }
  :: gives_up -> goto gone
  fi
}

/* The fold of all tiles before `end`. */
inline look_back(end) {
  if
  :: end >= BATCH && next < end / BATCH * BATCH ->
    next = end / BATCH * BATCH;
    look(prefix_of(end / BATCH))
  :: else
  fi;
  do
  :: next < end -> look(next); next++
  :: else -> break
  od;
  if
  :: end % BATCH == BATCH - 1 -> publish(prefix_of(end / BATCH + 1))
  :: else
  fi
}

inline may_fail() {
#ifdef FAILS
  if
  :: true
  :: true ->
#ifndef SILENT          /* wrong: those who wait for its tile are not told */
    abandoned = true;
#endif
    goto gone
  fi
#else
  skip
#endif
}

inline retire() {
  if
  :: is_last(epoch) ->
    d_step { retired++; last_one = (retired == WORKERS) };
    if
    :: last_one ->
      retired = 0;
      next = 0;
      do
      :: next < 2 * MOST_TILES -> atomic { tag[next] = 0; value[next] = 0 }; next++
      :: else -> break
      od;
      atomic { drawn = 0; completed = 0 }
    :: else
    fi
  :: else
  fi
}

proctype worker(byte id; byte call; byte num_tiles) {
  byte epoch, tile = NONE, after = NONE, next;
  bool last_one;

  atomic { slots > 0 -> slots-- };  /* once it runs, it runs until it ends */
#ifdef BLOCK_INDEX      /* wrong: those before may not run */
  epoch = completed + 1;
  if
  :: id < num_tiles -> publish(id); look_back(id)
  :: else
  fi;
#else
#ifdef TWO_IN_HAND      /* the next tile is published before the look-back for the current one */
  claim(after);
  do
  :: tile == NONE && after == NONE -> break
  :: else ->
    byte now = after;
    if
    :: now != NONE -> claim(after); may_fail(); publish(now)
    :: else
    fi;
    if
    :: tile != NONE -> look_back(tile)
    :: else
    fi;
    tile = now
  od;
#else
  claim(tile);
  do
  :: tile == NONE -> break
  :: else ->
    may_fail();
#ifdef HOLDS_BACK       /* wrong: it waits with two tiles, of which none is published */
    claim(after);
    look_back(tile);
    if
    :: after != NONE -> look_back(after)
    :: else
    fi;
    publish(tile);
    if
    :: after != NONE -> publish(after)
    :: else
    fi;
#else
#ifdef PUBLISHES_LATE   /* right, but one after the other */
    look_back(tile);
    publish(tile);
#else
    publish(tile);
#ifdef RETIRES_EARLY    /* wrong: states may be cleared under it */
    after = tile;
#else
    look_back(tile);
#endif
#endif
#endif
    claim(tile)
  od;
#endif
#endif
  retire();
#ifdef RETIRES_EARLY
  if
  :: after != NONE -> look_back(after)
  :: else
  fi;
#endif
gone:
  slots++
}

init {
  byte call = 1, num_tiles, i;
  do
  :: call <= CALLS ->
    select(num_tiles : LEAST_TILES .. MOST_TILES);
    atomic {
      i = 0;
      do
      :: i < MOST_TILES -> taken[i] = 0; i++
      :: else -> break
      od;
      i = 0;
      do
      :: i < WORKERS -> run worker(i, call, num_tiles); i++
      :: else -> break
      od
    };
#ifdef AT_ONCE          /* wrong: another call with the same workspace */
    atomic {
      i = 0;
      do
      :: i < WORKERS -> run worker(i, call + 1, num_tiles); i++
      :: else -> break
      od
    };
#endif
    _nr_pr == 1;        /* all have ended */
#ifndef FAILS
    assert(retired == 0);
    assert(drawn == 0);
#endif
    call++
  :: else -> break
  od
}

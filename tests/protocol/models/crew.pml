/* CPU threads that help callers, as in src/workers.cpp: a caller takes a crew, works alone until
 * somebody joins, shares, and closes when nobody is inside any more; then the crew is anybody's.
 * All atomics there are sequentially consistent, as everything is here.
 */
#ifndef CREWS
#define CREWS 1
#endif
#ifndef CALLS
#define CALLS 1                 /* of each caller */
#endif
#define CALLERS 2
#define PLACES 2
#define INSIDE 16               /* members: { inside, places left } in one word */
#define places(m) ((m) % INSIDE)
#define NO_CREW CREWS
mtype = { alone, shared, over };

byte members[CREWS], context[CREWS], invitations;
bool taken[CREWS], asleep[CREWS];       /* asleep: the crew's caller, in close() */
mtype phase[CREWS];

bool returned[CALLERS * CALLS + 1];     /* by call */
byte working[CALLERS * CALLS + 1];      /* helpers */

inline take() {
  c = 0;
  do
  :: c == NO_CREW -> break
  :: else ->
    d_step { was = taken[c]; taken[c] = true };
    if
    :: was -> c++
    :: else -> break
    fi
  od
}

inline close() {
  phase[c] = over;
#ifdef FREED_EARLY              /* wrong: another call may take it from those inside */
  taken[c] = false;
#endif
#ifdef STAYS_OPEN               /* wrong: somebody may still come in */
#define is_over(m) ((m) < INSIDE)
#else
#define is_over(m) ((m) == 0)
  atomic { members[c] = members[c] - places(members[c]) };
#endif
#ifdef NO_WAIT                  /* wrong: who is inside works for a call that has returned */
  skip;
#else
  do
  :: seen = members[c];
    if
    :: is_over(seen) -> break
    :: else ->                  /* members_.wait(seen) */
      atomic {                  /* compared again by who puts it to sleep */
        if
        :: members[c] == seen -> asleep[c] = true
        :: else
        fi
      };
      !asleep[c]
    fi
  od;
#endif
  atomic { returned[call] = true; assert(working[call] == 0) };
#ifndef FREED_EARLY
  taken[c] = false
#endif
}

proctype caller(byte call) {
  byte c, seen, last = call + CALLS, steps;
  bool was;
  do
  :: call == last -> break
  :: else ->
    take();
    if
    :: c == NO_CREW -> skip     /* all are taken: it works alone */
    :: else ->
      context[c] = call;
      phase[c] = alone;
      members[c] = PLACES;
      invitations++;
      steps = 0;
      do
      :: steps == 2 -> break    /* nothing is left to do */
      :: steps < 2 && members[c] >= INSIDE -> phase[c] = shared; break
      :: steps < 2 && members[c] < INSIDE -> steps++
      od;
      close()
    fi;
    call++
  od
}

inline join() {
  joined = false;
  c = 0;
  do
  :: c == NO_CREW -> break
  :: else ->
    seen = members[c];
    do
    :: places(seen) == 0 -> break
    :: else ->
#ifdef TORN_JOIN                /* wrong: two may take one place, and what others did is lost */
      members[c] = seen - 1 + INSIDE;
      joined = true;
#else
      d_step {
        if
        :: members[c] == seen -> members[c] = seen - 1 + INSIDE; joined = true
        :: else -> seen = members[c]
        fi
      };
#endif
      if
      :: joined -> break
      :: else
      fi
    od;
    if
    :: joined -> break
    :: else -> c++
    fi
  od
}

inline help() {
  phase[c] != alone;
  if
  :: phase[c] == shared ->
    served = context[c];
    d_step { working[served]++; assert(!returned[served]) };
    d_step { working[served]--; assert(!returned[served]) }
  :: else
  fi;
  d_step { seen = members[c]; assert(seen >= INSIDE); members[c] = seen - INSIDE };
#ifndef NO_NOTIFY               /* wrong: the caller sleeps on */
  if
  :: seen < 2 * INSIDE -> asleep[c] = false
  :: else
  fi
#endif
}

proctype helper() {
  byte c, seen, invited, served;
  bool joined;
  do
  :: invited = invitations;
    join();
    if
    :: joined -> help()
    :: else ->
end_sleeps:
      invitations != invited
    fi
  od
}

init {
  atomic {
    run caller(1);
    run caller(1 + CALLS);
    run helper();
    run helper()
  }
}

const inProcess = 'test/server/hub.test.ts'
const asControl = 'test/hub/control.test.ts'
const asAttack = 'test/hub/control-attacks.test.ts'
const asWorker = 'test/hub/worker-git.test.ts'
const workers = 'test/hub/workers.test.ts'
const asProcess = 'test/server/hub-process.test.ts'

/** What holds for a hub, each with the test that tries it. */
const held: readonly (readonly [holds: string, file: string, title: string])[] = [
  [
    'Without TLS or a proxy in front of it, it is reached from its own machine alone.',
    asProcess,
    'a hub without TLS listens on this machine alone, and says what is missing',
  ],
  [
    'It answers to its own names only: those of its certificate, of its proxy, or of this machine. A name that was pointed to it opens nothing.',
    asProcess,
    'under TLS it knows the names of its certificate alone, and its cookie is for them alone',
  ],
  [
    'A route declares the role that it needs, and lets nobody else in.',
    inProcess,
    'every route declares who, and lets nobody in but these, by token and by session',
  ],
  [
    'A stolen cookie, or what a script can read of a session, opens nothing alone.',
    inProcess,
    'is in a cookie that no script reads and no other site sends, and of no use without its other half',
  ],
  [
    'A revoked token is worth nothing from then on, nor are its sessions, copies of them, and open streams.',
    inProcess,
    'and its stream end when the token is revoked, also by another process, and so does the token',
  ],
  [
    'Another site does nothing with the session of a browser.',
    inProcess,
    'what acts for a browser from another site, without an Origin, or without a fresh token',
  ],
  [
    'A token in an address is refused, and no line of the hub holds one.',
    inProcess,
    'a token in an address, and says nothing of it in its lines',
  ],
  [
    'Guessing ends after ten tries, and locks nobody out who is signed in.',
    inProcess,
    'sign-ins of an address that has failed too often, and goes on to serve whoever is signed in',
  ],
  [
    'Odd writings of a path lead around no role.',
    inProcess,
    'a path that is not exactly a route, whatever it looks like',
  ],
  [
    'Silent clients, slow ones and endless bodies keep nobody else out.',
    asProcess,
    'five hundred silent clients and endless bodies keep nobody else out, and are ended',
  ],
  [
    'Git is answered for three requests and nothing else. No part of an address becomes a path, and no page of a browser is answered.',
    asAttack,
    'nobody without a token is answered, nor a page, nor anything but the three requests of git',
  ],
  [
    'Each role writes the refs of the table and no other; branches, tags and notes are nobody’s.',
    asControl,
    'each role pushes to the refs of the table, and to no other',
  ],
  [
    'A worker speaks for its own hosts alone, and a viewer gets no commits, which hold what is taken out of all else.',
    asAttack,
    'a viewer and a revoked token neither fetch nor push, and a worker is no other’s host',
  ],
  [
    'A host that was given up overwrites nothing.',
    asWorker,
    'a worker that was given up overwrites nothing: it is refused, and its successor takes another name',
  ],
  [
    'Names of refs and commands of a push are data: none is an option, a path or a deletion.',
    asAttack,
    'odd names of refs, deletions and words that are no commands change nothing',
  ],
  [
    'Pushed trees are checked, and hooks in them never run.',
    asAttack,
    'what is pushed is looked at: a path into .git is not taken, and hooks in a tree are files',
  ],
  [
    'Pushes, fetches and packed requests have bounds, and slow clients of git are left.',
    asAttack,
    'too much is not read: of a bomb, of a fetch, and of a push',
  ],
  [
    'A hub that dies in the middle of a push keeps a whole repository.',
    'test/hub/killed-hub.test.ts',
    'a hub that is killed in the middle of a push leaves its repository whole, and the next takes the push',
  ],
  [
    'The token of a worker is in none of its files and on no command line.',
    asWorker,
    'the token is in no file of the worker and on no command line',
  ],
  [
    'What people do has their names, in events, chat, reports and receipts, and nobody takes the name of another.',
    asProcess,
    'a hub does the work that people hand in, and says of each who it was',
  ],
  [
    'The token of a worker opens what a worker must know, and no run; no other token opens that.',
    workers,
    'a token of a worker opens nothing but what workers need',
  ],
  [
    'A machine that was given up writes nothing any more, when it wakes up: no row, and no commit.',
    workers,
    'a worker that was given up writes nothing when it wakes up',
  ],
  ['A worker whose token is revoked ends.', workers, 'a worker whose token is revoked ends'],
]

export function hubRows(): readonly string[] {
  return [
    '',
    '## The hub of a team',
    '',
    'A [hub](hub.md) is reached by others. Whoever reaches it is hostile until a token proves a role, and then may do what the role allows and no more.',
    '',
    '| what holds | the test that tries it |',
    '| --- | --- |',
    ...held.map(([holds, file, title]) => `| ${holds} | `.concat('`', file, ` › ${title}`, '` |')),
    '',
    'This does not stop an operator from spending: budgets can be raised, and agents run commands in their sandbox. Whoever can read the state on the machine',
    'of the hub can add tokens. A worker token is no right over the API, but its machine has the password of the database.',
  ]
}

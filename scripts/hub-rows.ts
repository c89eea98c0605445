import { listed } from './listed.ts'

const inProcess = 'test/server/hub.test.ts'
const asControl = 'test/hub/control.test.ts'
const asAttack = 'test/hub/control-attacks.test.ts'
const asWorker = 'test/hub/worker-git.test.ts'
const workers = 'test/hub/workers.test.ts'
const asProcess = 'test/server/hub-process.test.ts'
const openid = 'test/server/hub-openid.test.ts'
const asLongProcess = 'test/server/hub-process.long.ts'
const proxy = 'test/server/hub-proxy.long.ts'
const watch = 'test/server/hub-watch.test.ts'
const inPage = 'test/e2e/journeys.long.ts'
const ofClients = 'test/client/client.test.ts'
const ofSignIn = 'test/client/client.long.ts'

/** The guarantees of a hub, each with the test that tries it. */
export const heldByHubs: readonly (readonly [holds: string, file: string, title: string])[] = [
  [
    'Without TLS or a proxy in front of it, it is reached from its own machine alone.',
    asProcess,
    'a hub without TLS listens on this machine alone, and says what is missing',
  ],
  [
    'It answers to its own names only: those of its certificate, its proxy, or its machine.',
    asLongProcess,
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
    'A revoked token ends with its sessions, copies of them, and open streams.',
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
  ['No spelling of a path bypasses a role.', inProcess, 'a path that is not exactly a route, whatever it looks like'],
  [
    'Silent clients, slow ones and endless bodies keep nobody else out.',
    asLongProcess,
    'five hundred silent clients and endless bodies keep nobody else out, and are ended',
  ],
  [
    'Git is answered for three requests, and no part of an address becomes a path.',
    asAttack,
    'what is malformed, hostile, too large or too many reaches neither refs nor files of the mirror',
  ],
  [
    'Each role writes the refs of the table and no other; branches, tags and notes are nobody’s.',
    asControl,
    'each role may push to the refs of the table, and to no other',
  ],
  [
    'A worker speaks for its own hosts alone, and a viewer gets no commits.',
    asAttack,
    'a viewer, a monitor and a revoked token neither fetch nor push, and a worker is no other’s host',
  ],
  [
    'A host that was given up overwrites nothing.',
    'test/hub/worker-git.long.ts',
    'a worker that was given up overwrites nothing: it is refused, and its successor takes another name',
  ],
  [
    'Names of refs and commands of a push are data, pushed trees are checked, their hooks never run, and all of it has bounds.',
    asAttack,
    'what is malformed, hostile, too large or too many reaches neither refs nor files of the mirror',
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
    'Nobody signs in to the browser of another, or twice with one answer of an OpenID provider.',
    openid,
    'without both of its halves, in another browser, a second time, and when it is too old',
  ],
  [
    'An answer of a provider counts for its own sign-in alone.',
    openid,
    'with another state, another issuer, twice the same, an error, or nothing',
  ],
  [
    'An identity counts when the provider has signed it for this hub, this sign-in and now.',
    openid,
    'with an identity for another hub, of another nonce or maker, too old, or with a foreign signature',
  ],
  [
    'A person whom no rule names gets no role. An email counts only when the provider has verified it.',
    openid,
    'is nobody unless a rule names them, whatever they say of themselves',
  ],
  [
    'People have names that no token has, and nobody takes the name of another.',
    openid,
    'has a name that nothing else looks like, and nobody takes it from them',
  ],
  [
    'Behind a proxy it believes no address that a client has written.',
    proxy,
    'a hub answers to its own name alone, and knows who asks, whatever they write',
  ],
  [
    'A token for monitoring reads figures only.',
    watch,
    'figures are for a token with the role monitor, which is good for nothing else',
  ],
  [
    'A page shows nobody what their role does not allow.',
    inPage,
    'people of a team sign in to a hub with a token or their provider, and each sees and does what the role allows',
  ],
  [
    'Events, chat, reports and receipts name the person who acted, and nobody takes the name of another.',
    asLongProcess,
    'a hub does the work that people hand in, and says of each who it was',
  ],
  [
    'The token of a worker opens what a worker must know, and no run; the worker ends when it is revoked.',
    workers,
    'a run is built on two workers, whose tokens open nothing else, and its receipts are valid at the hub',
  ],
  [
    'A machine that was given up and wakes up writes no row and no commit.',
    'test/hub/workers.long.ts',
    'a worker that was given up writes nothing when it wakes up',
  ],
  [
    'A client reads the views of its role, and no rows of the state.',
    ofClients,
    'a task that a hub does ends in the clone as one that is done there; no row of it is read, and who may not is told',
  ],
  [
    'A client keeps its token to itself, sends it to no address in the clear, and lets a hub move branches below `drydock/` alone. Words of a hub do not steer its terminal.',
    ofSignIn,
    'a hub is signed in to, and what is no hub, speaks another protocol, or names a branch of the user is refused',
  ],
]

export function hubRows(): readonly string[] {
  return [
    '',
    '## The hub of a team',
    '',
    'Everybody who reaches a [hub](hub.md) is hostile until a token proves a role, and then may do what the role allows and no more.',
    '',
    ...heldByHubs.flatMap(([holds]) => listed(holds)),
    '',
    'Not stopped: an operator can spend and raise budgets, whoever can read the state on the machine of the hub can add tokens, and the machine of a worker has the',
    'password of the database.',
  ]
}

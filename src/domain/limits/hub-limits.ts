/**
 * Limits of `drydock hub`. `waiting`: connections that have not said a whole request. `headersMs`,
 * `requestMs`: how long a client may take to say its headers, and its whole request; `handshakeMs`
 * its TLS. `signInBytes`: of a request that signs in. `failures` that an address may have within
 * `failuresMs`, and the addresses that are remembered. `lookMs`: how soon an open stream notices
 * that its token was revoked. `usedMs`: how exactly the last use of a token is kept. `audited`:
 * lines about refusals within `auditedMs`. `queries`: of the records, in one request of a client.
 * `git`: programs of git at once, and those of one token; a client that neither speaks nor listens
 * for `idleMs` is left; bytes of what a fetch may ask, and of a push; `requestMs`: the longest that
 * git may take; `reachMs`: how long a worker tries to reach its hub. `answerMs`: the longest that a
 * worker waits for an answer of its hub, and `lookAtHubMs` how often it asks whether it may go on.
 * With an OpenID provider: `flowMs` for a sign-in there, `answerBytes` of what the browser brings
 * back, `providerMs` for each of its answers, `metadataMs` until what it says of itself is read
 * again, `skewSec` that its clock may be off. `healthMs`, `metricsMs`: how long what was found is
 * told again; `healthAnswerMs`: when a store that does not answer counts as gone.
 */
export const hubLimits = {
  ...{ port: 4_517, connections: 1_024, waiting: 256, streams: 512, streamsEach: 16 },
  ...{ headersMs: 10_000, requestMs: 30_000, handshakeMs: 10_000, signInBytes: 4_096 },
  ...{ failures: 10, failuresMs: 60_000, addresses: 10_000 },
  ...{ lookMs: 1_000, usedMs: 60_000, audited: 120, auditedMs: 60_000 },
  ...{ tokenDays: 3_650, answerMs: 10_000, lookAtHubMs: 5_000, queries: 100 },
  git: {
    ...{ children: 24, childrenEach: 12, idleMs: 60_000, fetchBytes: 32 * 1024 ** 2, pushBytes: 4 * 1024 ** 3 },
    ...{ requestMs: 1_800_000, reachMs: 60_000 },
  },
  ...{ flowMs: 600_000, answerBytes: 8_192, providerMs: 10_000, metadataMs: 3_600_000, skewSec: 30 },
  ...{ healthMs: 1_000, healthAnswerMs: 2_000, metricsMs: 5_000 },
} as const

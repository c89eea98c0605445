import type { Attack } from './attack.ts'
import { borrowedHistory } from './attacks/borrowed-history.ts'
import { dashboardAttacks } from './attacks/dashboard.ts'
import { gateAttacks } from './attacks/gate.ts'
import { hostCodeAttacks } from './attacks/host-code.ts'
import { keyRedirectAttacks } from './attacks/key-redirect.ts'
import { keySinkAttacks } from './attacks/key-sinks.ts'
import { keyAttacks } from './attacks/keys.ts'
import { leaseAttacks } from './attacks/lease.ts'
import { networkAttacks } from './attacks/network.ts'
import { readAttacks } from './attacks/reads.ts'
import { approvalAttacks, injectionAttacks } from './attacks/review.ts'
import { runawayAttacks } from './attacks/runaway.ts'
import { sandboxAttacks } from './attacks/sandbox.ts'
import { sharedStateAttacks } from './attacks/shared-state.ts'
import { shellAttacks } from './attacks/shell.ts'
import { voiceAttacks } from './attacks/voices.ts'
import { weakenedGateAttacks } from './attacks/weakened-gate.ts'
import { rows } from './rows.ts'

const all: readonly Attack[] = [
  ...[
    readAttacks,
    shellAttacks,
    hostCodeAttacks,
    sharedStateAttacks,
    keyRedirectAttacks,
    sandboxAttacks,
    borrowedHistory,
    networkAttacks,
    gateAttacks,
    weakenedGateAttacks,
  ].flat(),
  ...[
    approvalAttacks,
    injectionAttacks,
    voiceAttacks,
    dashboardAttacks,
    keySinkAttacks,
    keyAttacks,
    runawayAttacks,
    leaseAttacks,
  ].flat(),
]

/** Every attack, in the order of the rows. */
export const attacks: readonly Attack[] = Object.keys(rows).flatMap((name) => all.filter(({ row }) => row === name))

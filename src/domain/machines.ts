import { type Acceptance, type AcceptanceEvent, acceptanceTable } from './acceptance/acceptance.ts'
import { type Landing, type LandingEvent, landedStates, landingTable } from './landing/landing.ts'
import { type Lane, type LaneEvent, laneTable } from './lane/lane.ts'
import { type SharedLayer, type SharedLayerEvent, sharedLayerTable } from './layer/shared-layer.ts'
import type { Machine, MachineKind } from './machine.ts'
import { type Merge, type MergeEvent, mergeTable } from './merge/merge.ts'
import { type Notification, type NotificationEvent, notificationTable } from './notification/notice.ts'
import { type Remark, type RemarkEvent, remarkTable, settledStates } from './remark/remark.ts'
import { type Request, type RequestEvent, requestTable } from './request/request.ts'
import type { Run } from './run/run.ts'
import { endedRunStates, type RunEvent, runTable, runTransition } from './run/run-machine.ts'
import { type Schedule, type ScheduleEvent, scheduleTable } from './schedule/schedule.ts'
import { type ScoutQuery, type ScoutQueryEvent, scoutQueryTable } from './scout/scout-query.ts'
import { type Slot, type SlotEvent, slotTable } from './slot/slot.ts'
import type { Story } from './story/story.ts'
import { endStates, type StoryEvent, storyTable, type Transition, transition } from './story/story-machine.ts'
import { type Verification, type VerificationEvent, verificationTable } from './verification/verification.ts'

/** Each kind of machine. */
export interface Machines {
  run: Run
  story: Story
  lane: Lane
  scout_query: ScoutQuery
  verification: Verification
  request: Request
  merge: Merge
  notification: Notification
  slot: Slot
  schedule: Schedule
  remark: Remark
  landing: Landing
  shared_layer: SharedLayer
  acceptance: Acceptance
}

export type AnyMachine = Machines[MachineKind]

/** The events that move each kind. */
export interface MachineEvents {
  run: RunEvent
  story: StoryEvent
  lane: LaneEvent
  scout_query: ScoutQueryEvent
  verification: VerificationEvent
  request: RequestEvent
  merge: MergeEvent
  notification: NotificationEvent
  slot: SlotEvent
  schedule: ScheduleEvent
  remark: RemarkEvent
  landing: LandingEvent
  shared_layer: SharedLayerEvent
  acceptance: AcceptanceEvent
}

/** The events that move a machine. */
export type EventOf<M extends AnyMachine> = MachineEvents[M['kind']]

/** The state that each kind begins in. */
export const initialStates: { readonly [Kind in MachineKind]: Machines[Kind]['state'] } = {
  run: 'WAITING',
  story: 'QUEUED',
  lane: 'ASKING',
  scout_query: 'ASKED',
  verification: 'REQUESTED',
  request: 'OPEN',
  merge: 'QUEUED',
  notification: 'PENDING',
  slot: 'OFFERED',
  schedule: 'ACTIVE',
  remark: 'OPEN',
  landing: 'REQUESTED',
  shared_layer: 'SHARED',
  acceptance: 'WRITING',
}

/** The states of each kind without a next step; some may be left when somebody asks for more. */
export const finalStates: { readonly [Kind in MachineKind]: readonly Machines[Kind]['state'][] } = {
  run: endedRunStates,
  story: endStates,
  lane: ['ENDED'],
  scout_query: ['ANSWERED', 'FAILED', 'CANCELLED'],
  verification: ['ENDED', 'CANCELLED'],
  request: ['ANSWERED', 'CANCELLED'],
  merge: ['MERGED', 'RETURNED', 'CANCELLED'],
  notification: ['DELIVERED', 'DROPPED', 'FAILED'],
  slot: ['WITHDRAWN'],
  schedule: ['REMOVED'],
  remark: settledStates,
  landing: landedStates,
  shared_layer: ['SHARED', 'REMOVED'],
  acceptance: ['READY', 'CANCELLED'],
}

/** True if the machine takes no further step by itself. */
export function isFinal({ kind, state }: Pick<Machine, 'kind' | 'state'>): boolean {
  return (finalStates[kind] as readonly string[]).includes(state)
}

/** One transition of a table. Only a story's transitions have effects. */
export interface TableLine {
  readonly from: string
  readonly event: string
  readonly to: string
  readonly effects: readonly string[]
}

/** All states and transitions of a kind, in the order of its table, for display. */
export function tableOf(kind: MachineKind): {
  readonly states: readonly string[]
  readonly lines: readonly TableLine[]
} {
  const rows: Readonly<Record<string, Readonly<Record<string, string | Transition | undefined>>>> = tables[kind]
  const lines = Object.entries(rows).flatMap(([from, row]) =>
    Object.entries(row).flatMap(([event, next]) => {
      if (next === undefined) return []
      const { state: to, effects } = typeof next === 'string' ? { state: next, effects: [] } : next
      return [{ from, event, to, effects }]
    }),
  )
  return { states: Object.keys(rows), lines }
}

const tables = {
  run: runTable,
  story: storyTable,
  lane: laneTable,
  scout_query: scoutQueryTable,
  verification: verificationTable,
  request: requestTable,
  merge: mergeTable,
  notification: notificationTable,
  slot: slotTable,
  schedule: scheduleTable,
  remark: remarkTable,
  landing: landingTable,
  shared_layer: sharedLayerTable,
  acceptance: acceptanceTable,
} as const satisfies Readonly<Record<MachineKind, object>>

type NextStates = {
  readonly [Kind in MachineKind]: (
    machine: Machines[Kind],
    event: MachineEvents[Kind],
  ) => Machines[Kind]['state'] | undefined | null
}

const nextStates: NextStates = {
  run: ({ state, data }, event) =>
    runTransition(state, event, event === 'resumed' || event === 'unpaused' ? data.stoppedIn : data.origin),
  story: ({ state, data }, event) => transition(state, event, wayBack(data, event))?.state,
  lane: ({ state }, event) => laneTable[state][event],
  scout_query: ({ state }, event) => scoutQueryTable[state][event],
  verification: ({ state }, event) => verificationTable[state][event],
  request: ({ state }, event) => requestTable[state][event],
  merge: ({ state }, event) => mergeTable[state][event],
  notification: ({ state }, event) => notificationTable[state][event],
  slot: ({ state }, event) => slotTable[state][event],
  schedule: ({ state }, event) => scheduleTable[state][event],
  remark: ({ state }, event) => remarkTable[state][event],
  landing: ({ state }, event) => landingTable[state][event],
  shared_layer: ({ state }, event) => sharedLayerTable[state][event],
  acceptance: ({ state }, event) => acceptanceTable[state][event],
}

/** The state that an event leads a machine to; null when its table has no such transition. */
export function nextState<M extends AnyMachine>(machine: M, event: EventOf<M>): M['state'] | null {
  const next = nextStates[machine.kind] as (machine: M, event: EventOf<M>) => M['state'] | undefined | null
  return next(machine, event) ?? null
}

/** The state that ORIGIN stands for in a story. */
export function wayBack({ pending, pausedIn, origin }: Story['data'], event: StoryEvent): Story['state'] | null {
  if (event === 'workspace_back') return pending?.from ?? null
  return event === 'unpaused' ? pausedIn : origin
}

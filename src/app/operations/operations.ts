import { randomUUID } from 'node:crypto'
import type { InputOf, OutputOf, Route } from '../../api/route.ts'
import type { Command } from '../../domain/command.ts'
import type { Drydock } from '../drydock.ts'
import { usage } from '../usage.ts'
import { accept } from './act/accept.ts'
import { assign, people } from './act/assign.ts'
import { budget } from './act/budget.ts'
import { buildPlan } from './act/build-plan.ts'
import { cancel } from './act/cancel.ts'
import { changeSetting } from './act/change-setting.ts'
import { decideTests } from './act/decide-tests.ts'
import { drainWorker } from './act/drain-worker.ts'
import { editPlan } from './act/edit-plan.ts'
import { openRepository, replyElsewhere, startDemo } from './act/elsewhere.ts'
import { hold, undoHeld } from './act/hold.ts'
import { land } from './act/land.ts'
import { pause } from './act/pause.ts'
import { post } from './act/post.ts'
import { reply } from './act/reply.ts'
import { resume } from './act/resume.ts'
import { retry } from './act/retry.ts'
import { addSchedule, changeSchedule } from './act/schedules.ts'
import { startInterview } from './act/start-interview.ts'
import { startRun } from './act/start-run.ts'
import { startTask } from './act/start-task.ts'
import { submitReview } from './act/submit-review.ts'
import { addToken, revokeToken, tokens } from './act/tokens.ts'
import { giveOnce } from './given-once.ts'
import { seeApplied } from './hand-over.ts'
import type { Acting, Asker, AuditedAct, Operation } from './operation.ts'
import { views } from './read/views.ts'

/** All that people do, and the views of commands, by the names of their routes. */
export const acts = {
  startTask,
  startRun,
  startInterview,
  buildPlan,
  editPlan,
  cancel,
  pause,
  resume,
  retry,
  budget,
  accept,
  decideTests,
  submitReview,
  land,
  post,
  reply,
  hold,
  undoHeld,
  changeSetting,
  openRepository,
  startDemo,
  replyElsewhere,
  tokens,
  addToken,
  revokeToken,
  drainWorker,
  addSchedule,
  changeSchedule,
  people,
  assign,
  ...views,
}

export type ActName = keyof typeof acts

type ShapeOf<Name extends ActName> = (typeof acts)[Name]['shape']

/** The operations as functions, here or at a hub. Each rejects with DrydockErrors. */
export type Acts = {
  readonly [Name in ActName]: (input: InputOf<ShapeOf<Name>>) => Promise<OutputOf<ShapeOf<Name>>>
}

/** The parts of `Acting` that hold for every asker. */
export interface Here extends Omit<Acting, keyof Asker | 'give'> {
  /** Told what was done with a hub itself. */
  readonly audit?: (act: AuditedAct & { readonly by: string | null }) => void
}

/** All that somebody can do here. */
export function actsFor(here: Here, asker: Asker): Acts {
  return Object.fromEntries(
    Object.entries(acts).map(([name, operation]) => {
      const does = operation as unknown as Operation<Route>
      return [name, (input: InputOf<Route>) => carryOut(here, asker, { name, does, input })]
    }),
  ) as unknown as Acts
}

interface OperationCall {
  readonly name: string
  readonly does: Operation<Route>
  readonly input: InputOf<Route>
}

async function carryOut(here: Here, { by, role, key }: Asker, { name, does, input }: OperationCall): Promise<unknown> {
  const { audit } = here
  const drydock = by === null ? here.drydock : actingFor(here.drydock, by)
  const acting = (fixed: string | null): Acting => ({
    ...here,
    drydock,
    by,
    role,
    async give(command, made = `${command.kind}/${randomUUID()}`) {
      const stored = await drydock.submit(fixed ?? made, command)
      return { run: command.run, handed: await seeApplied(drydock, stored, command), command: stored }
    },
  })
  const isOnce = key !== null && does.again !== undefined
  const answer = isOnce
    ? await giveOnce(does, input, { key: `given/${by ?? ''}/${name}/${key}`, acting })
    : await does.run(acting(null), input)
  if (does.audited) audit?.({ ...does.audited(input, answer as OutputOf<Route>), by })
  return answer
}

/**
 * The repository as somebody on a hub reaches it: every command says who gave it, and no other
 * repository of the machine is opened.
 */
function actingFor(drydock: Drydock, by: string): Drydock {
  return {
    ...drydock,
    submit: (key, command: Command) => drydock.submit(key, { ...command, by }),
    async beside(directory) {
      if (directory === drydock.repository) return drydock.beside(directory)
      throw usage('On a hub a spec names no other repository.', 'Take "repositories" out of it.')
    },
  }
}

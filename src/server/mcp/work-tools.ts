import { z } from 'zod'
import { done } from '../../agents/tools/tool.ts'
import { startRunSchema, startTaskSchema } from '../../api/commands.ts'
import type { Acts } from '../../app/operations/operations.ts'
import { limits } from '../../domain/limits.ts'
import type { McpDoor } from '../../domain/mcp/mcp-door.ts'
import { defineMcpTool, type McpTool } from './mcp-tool.ts'
import type { WorkWatch } from './watch-work.ts'

export interface Working {
  readonly acts: Pick<Acts, 'startTask' | 'startRun' | 'reply' | 'cancel'>
  readonly door: McpDoor
  readonly watch: WorkWatch
}

const budget = z
  .number()
  .positive()
  .max(1_000_000)
  .exactOptional()
  .describe('dollars that it may cost at most; the user has set the most that counts')

const untilThen =
  'Works until it is done or a human is asked, and returns the result: the branch with the verified change, or the question. It may take minutes to hours, with progress; if you stop waiting, the work continues and `status` shows it.'

/** Tools that change something, each enabled by its name in the user's file. */
export function workTools(working: Working): readonly McpTool[] {
  const all = [startTask(working), startRun(working), answer(working), cancel(working)]
  return all.filter(({ name }) => working.door.allow.some((allowed) => allowed === name))
}

function startTask({ acts, door, watch }: Working): McpTool {
  const given = startTaskSchema.pick({ task: true, criteria: true, constraints: true, non_goals: true, files: true })
  return defineMcpTool({
    name: 'start_task',
    purpose: `Have one change made on a branch, verified by the build and the tests of the repository. ${untilThen}`,
    input: given.extend({ review: startTaskSchema.shape.review, budget_usd: budget }),
    readOnly: false,
    isWork: true,
    call: async ({ budget_usd, ...asked }, waiting) => {
      const whole = startTaskSchema.parse({ ...asked, ...boundBy(door, budget_usd) })
      return watch.until((await acts.startTask(whole)).run, waiting)
    },
  })
}

function startRun({ acts, door, watch }: Working): McpTool {
  return defineMcpTool({
    name: 'start_run',
    purpose: `Have a spec built by a crew: split into stories, built in parallel, reviewed, and merged on a branch where all of it is verified. ${untilThen}`,
    input: startRunSchema.pick({ spec: true, again: true, as_is: true }).extend({ budget_usd: budget }),
    readOnly: false,
    isWork: true,
    call: async ({ budget_usd, ...asked }, waiting) => {
      const whole = startRunSchema.parse({ ...asked, ...boundBy(door, budget_usd) })
      return watch.until((await acts.startRun(whole)).run, waiting)
    },
  })
}

/** The budget of a client's call, at most the one that the user allows. */
function boundBy({ budgetUsd }: McpDoor, asked: number | undefined): { readonly budget_usd?: number } {
  const most = [budgetUsd, asked].filter((each) => each !== undefined)
  return most.length === 0 ? {} : { budget_usd: Math.min(...most) }
}

function answer({ acts, watch }: Working): McpTool {
  return defineMcpTool({
    name: 'answer',
    purpose: `Answer a question of a run, in the name of the human, and continue it. ${untilThen}`,
    input: z.strictObject({
      message: z
        .string()
        .regex(/^\d{1,18}$/, 'must be the id of a message: digits')
        .describe('id of the question'),
      text: z.string().min(1).max(limits.chatChars),
    }),
    readOnly: false,
    isWork: true,
    call: async ({ message, text }, waiting) => watch.until((await acts.reply({ id: message, text })).run, waiting),
  })
}

function cancel({ acts }: Working): McpTool {
  return defineMcpTool({
    name: 'cancel',
    purpose: 'End a run for good. Its work so far is kept on hidden refs.',
    input: z.strictObject({ run: z.string().min(1).max(200).describe('id of the run') }),
    readOnly: false,
    call: async ({ run }) => {
      const cancelled = await acts.cancel({ run })
      return done(`${cancelled.run} is cancelled.`)
    },
  })
}

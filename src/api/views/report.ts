import { z } from 'zod'
import type { ToldGuide } from '../../domain/guide/guide.ts'
import type { Json } from '../../domain/json.ts'
import { storyAcceptanceSchema } from '../acceptance.ts'
import { outcomeSchema } from '../outcome.ts'
import { agentSpendingSchema } from './budget.ts'
import { changeSchema } from './status.ts'
import { typed } from './typed.ts'
import { idSchema } from './work.ts'

/** Query of GET /api/report. */
export const reportQuerySchema = z.object({ id: idSchema })

/** GET /api/report: what became of a Run or of a story. Texts of models are never trusted. */
export const reportViewSchema = z.object({
  run: z.string(),
  /** The name of the story; null for a whole Run, and for the only story of a task. */
  story: z.string().nullable(),
  title: z.string(),
  branch: z.string().nullable(),
  change: changeSchema.nullable(),
  /** Names the holders of the result, as "1 comment of Ada"; null for none. */
  held_by: z.string().nullable(),
  /** The state of the story, or else of the Run. */
  state: z.string(),
  outcome: outcomeSchema,
  /** As Markdown. */
  text: z.string(),
  /** The report is of a whole spec. */
  whole: z.boolean(),
  /** The summary of a task or a story, or else why it has none. */
  summary: z.string().nullable(),
  stuck_report: z.string().nullable(),
  /** Null for a whole spec, and where nobody writes tests of criteria. */
  acceptance: storyAcceptanceSchema.nullable(),
  answer: typed<Json>(z.unknown()),
  /** Open and accepted findings of the gate on the story. */
  findings: z.array(z.object({ id: z.string(), state: z.string() })).readonly(),
  /** A line for each test that failed and passed without a change. */
  flaky: z.array(z.string()).readonly(),
  /** Guides of the repository that the agents received. */
  guides: z.array(typed<ToldGuide>(z.looseObject({ file: z.string(), lanes: z.array(z.string()) }))).readonly(),
  /** The spending of the story, or else of the Run. */
  spending: z.array(agentSpendingSchema).readonly(),
  /** The stories of the Run, whose costs a spec and its stories show. */
  stories: z.array(z.object({ id: z.string(), state: z.string() })).readonly(),
  /** The spending of the whole Run. */
  spending_of_run: z.array(agentSpendingSchema).readonly(),
  verifications: z.array(z.object({ run_id: z.string(), status: z.string(), sha: z.string() })).readonly(),
})

export type ReportView = z.infer<typeof reportViewSchema>

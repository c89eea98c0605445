import type { z } from 'zod'
import type {
  acceptSchema,
  Handed,
  postSchema,
  raiseBudgetSchema,
  replySchema,
  retrySchema,
  startRunSchema,
  startTaskSchema,
} from '../../api/commands.ts'
import type { Settings } from '../../api/settings.ts'

/**
 * What the command line does as well, and the server asks it for: each checks what it is given,
 * stores a command, and sees the owner apply it. They throw DrydockError.
 */
export interface DashboardAnswers {
  startRun(given: z.output<typeof startRunSchema>): Promise<Handed>
  startTask(given: z.output<typeof startTaskSchema>): Promise<Handed>
  cancel(run: string): Promise<Handed>
  pause(run: string): Promise<Handed>
  resume(run: string): Promise<Handed>
  accept(run: string, given: z.output<typeof acceptSchema>): Promise<Handed>
  retry(run: string, given: z.output<typeof retrySchema>): Promise<Handed>
  budget(run: string, raise: z.output<typeof raiseBudgetSchema>): Promise<Handed>
  post(run: string, given: z.output<typeof postSchema>): Promise<Handed>
  reply(message: string, given: z.output<typeof replySchema>): Promise<Handed>
  /** What became of a Run, as Markdown. */
  report(run: string): Promise<string>
  settings(): Promise<Settings>
}

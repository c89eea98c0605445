import { actRoutes } from '../../../api/act-routes.ts'
import { isEnded } from '../../../domain/run/run.ts'
import { usage } from '../../usage.ts'
import { find } from '../find.ts'
import { command } from '../operation.ts'
import { allowed, done } from '../refusals.ts'

export const budget = command(actRoutes.budget, {
  may(run) {
    if (isEnded(run.state)) return done(`${run.id} has ended: ${run.state}.`, 'See what it cost: drydock budget')
    if (run.data.budget !== null) return null
    return usage(
      `${run.id} has not started and has no budget yet.`,
      'Wait until it starts, or set it in your config.json: "budget": { … }',
    )
  },
  async run({ drydock, give }, { run: id, run_usd, story_usd, run_tokens }) {
    const { run } = await find(drydock, id)
    allowed(budget, run)
    const raise = { runUsd: run_usd, storyUsd: story_usd, runTokens: run_tokens }
    return give({ kind: 'budget', run: run.id, raise })
  },
})

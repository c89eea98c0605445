import { actRoutes } from '../../../api/act-routes.ts'
import type { InputOf } from '../../../api/route.ts'
import { type AcceptanceTests, acceptanceProblem } from '../../../domain/acceptance/acceptance-tests.ts'
import { checkConfig } from '../../commands/check-config.ts'
import { checkFiles, checkFilesAt } from '../../commands/check-files.ts'
import { checkModels } from '../../commands/check-models.ts'
import { overNamed } from '../../commands/named-options.ts'
import { usage } from '../../usage.ts'
import { command } from '../operation.ts'
import { checkNamed, startFor, takePushed } from '../start.ts'

export const startTask = command(actRoutes.startTask, {
  async run(acting, given) {
    const { drydock, options: base, give } = acting
    checkNamed(acting, given)
    const {
      task: text,
      criteria,
      constraints,
      non_goals,
      files,
      dry_run: dryRun,
      review,
      review_plan: reviewPlan,
      acceptance: testsWritten,
      accept,
    } = given
    const pushed = await takePushed(drydock, given)
    await (pushed === null ? checkFiles(drydock, files) : checkFilesAt(drydock, pushed, files))
    if (dryRun && review) throw usage('A change that is only shown cannot be reviewed.', 'Leave out dry_run or review.')
    if (dryRun && testsWritten)
      throw usage('A change that is only shown is not tested.', 'Leave out dry_run or acceptance.')
    const acceptance = acceptanceOf(given)
    const options = overNamed(base, given)
    const checked = await checkConfig(drydock, options, true)
    const models = checkModels(drydock, options, { crew: review, tests: testsWritten })
    const task = {
      text,
      constraints,
      non_goals,
      files,
      ...(criteria.length > 0 && { acceptance_criteria: criteria }),
    }
    const reviews = {
      ...(review && { reviewed: true as const }),
      ...(reviewPlan && { planReviewed: true as const }),
      ...(testsWritten && { testsWritten: true as const }),
    }
    const request = {
      kind: 'task',
      task,
      dryRun,
      apply: false,
      ...reviews,
      ...(accept.length > 0 && { accept }),
    } as const
    const started = await startFor(drydock, given, { request, models, checked, title: text, options, acceptance })
    return give(started.command, started.key)
  },
})

/** DrydockError `bad_usage`. */
function acceptanceOf({
  acceptance_tests: files,
}: Pick<InputOf<typeof actRoutes.startTask>, 'acceptance_tests'>): AcceptanceTests | undefined {
  if (files === undefined) return undefined
  const problem = acceptanceProblem({ files })
  if (problem !== null) throw usage(`The acceptance tests cannot be used: ${problem}.`, 'Send other files.')
  return { files }
}

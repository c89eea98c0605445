import type { Drydock } from '../../../app/drydock.ts'
import { readCrewsSoFar } from '../../../app/views/crew-so-far.ts'
import type { Progress } from '../../screen/progress.ts'
import { createStoryline } from '../../screen/storyline.ts'

/** Where the stories of crews are whose earlier events are not shown again. */
export async function recallCrews(drydock: Drydock, runs: readonly string[], progress: Progress): Promise<void> {
  for (const { run, stories, questions, tokens, costUsd } of await readCrewsSoFar(drydock, runs)) {
    const storyline = createStoryline()
    for (const { story, state, data } of stories) {
      storyline.stories.set(story ?? '', { state, attempt: data.failures.loops + 1 })
    }
    for (const question of questions) storyline.questions.add(question)
    progress.recall(run.id, Object.assign(storyline, { kind: 'spec', state: run.state, tokens, costUsd }))
  }
}

import type { Offer } from '../../../agents/tools/registry.ts'

/** The paragraph about the architect who reviews the editor's work. */
export function reviewedParagraph(state: 'PLANNING' | 'CODING'): string {
  const review =
    state === 'PLANNING'
      ? 'The architect, who wrote your story from a spec, reviews your plan before you code, and your change after it has passed.'
      : 'A PASS is followed by a review. The architect, who wrote your story from a spec, reads your workspace and approves the change or sends it back with findings.'
  const again =
    state === 'PLANNING'
      ? 'plan again so that each is settled, or show in the plan, with evidence, why it is wrong'
      : 'fix what each names and nothing else, or show in the summary, with evidence, why it is wrong'
  return `You work in a crew. ${review}
- If your work is sent back, blocker and major findings hold it: ${again}. Minor findings are advice.
- If the story leaves a decision open that the code cannot answer, ask with \`ask_architect\`: one precise question, with the options you see. The answer decides. Find out yourself what you can.`
}

/** The end of the sentence about a PASS of the whole change. */
export function afterPass({ isReviewed }: Offer): string {
  return isReviewed ? 'leads to the review' : 'ends the task'
}

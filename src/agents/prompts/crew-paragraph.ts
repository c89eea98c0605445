/** What an editor of a crew must know beyond what an editor of a task does. */
export function crewParagraph(state: 'PLANNING' | 'CODING'): string {
  const review =
    state === 'PLANNING'
      ? 'The architect, who wrote your story from a spec, reviews the plan before you code, and the change after it has passed.'
      : 'A PASS is followed by a review: the architect, who wrote your story from a spec, reads your workspace and approves the change or sends it back with findings.'
  const again =
    state === 'PLANNING'
      ? 'plan anew so that each is settled, or say in the plan, with evidence, why it does not hold'
      : 'fix what each names and nothing else, or say in the summary, with evidence, why it does not hold'
  return `You work in a crew. ${review}
- When it is sent back: a finding that is blocker or major holds it; ${again}. Minor ones are advice.
- When the story leaves a decision open that the code cannot answer, ask with \`ask_architect\`: one precise question, with the options that you see. The answer decides. What you can find out yourself, find out.`
}

/** Sections whose text the system prompts call binding. */
const binding = 'guidance|(?:task|acceptance_criteria|constraints|non_goals)(?=[\\s/>])'

/**
 * Text of a repository, a tool or an earlier attempt, between tags that it can neither close nor
 * use to open a binding section.
 */
export function dataSection(tag: string, text: string, attribute = ''): string {
  const inert = text.replace(new RegExp(`<(?=/${tag}|${binding})`, 'gi'), '<\\')
  return `<${tag}${attribute}>\n${inert}\n</${tag}>`
}

/** Text of a repository, a tool or an earlier attempt, between tags that it can neither close nor use to speak for the human. */
export function dataSection(tag: string, text: string, attribute = ''): string {
  const inert = text.replace(new RegExp(`<(?=/${tag}|guidance)`, 'gi'), '<\\')
  return `<${tag}${attribute}>\n${inert}\n</${tag}>`
}

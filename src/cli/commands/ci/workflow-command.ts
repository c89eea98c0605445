import type { Annotation } from '../../../app/text/ci/annotations.ts'

/**
 * A line that GitHub and Forgejo show as an annotation. Escaped as their runners unescape it, so it
 * stays one line and one command.
 */
export function workflowCommand({ level, title, message, file, line }: Annotation): string {
  const place = file === null ? {} : { file, ...(line !== null && { line: String(line) }) }
  const properties = Object.entries({ ...place, title }).map(([key, value]) => `${key}=${property(value)}`)
  return `::${level} ${properties.join(',')}::${data(message)}`
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

import { dataSection } from './data-section.ts'

/** What a lane is asked for before the older part of its conversation is cut. */
export const summaryRequest = `<context_limit>This conversation nears the limit of what you can read at once. Its older part will be replaced by what you write now. Call no tool; answer with text only. Write for yourself, who will go on with nothing else of that part:
- what you have done so far, file by file;
- what you have found out, with paths, lines and names;
- what you have tried that did not work, and why;
- where you are, and what comes next.
Leave out the task, its constraints, the plan, findings, verdicts and what people have said: these are kept word for word.</context_limit>`

/** What stands in place of the older part. `text` is the model's own; empty when it gave none. */
export function summaryMessage(text: string): string {
  const own =
    text === ''
      ? 'There is no summary of it: look again at what you need.'
      : `This is your own summary of it:\n${dataSection('summary', text)}`
  return `The older part of this conversation was cut. ${own}\nWhat you were told in it, and what your submissions were answered, follows word for word; then the conversation goes on.`
}

/** What a result is sent as that was shortened. */
export function shortened(characters: number, where = 'call it again if you need them'): string {
  return `[shortened: ${characters} characters; ${where}]`
}

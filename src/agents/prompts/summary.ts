import { type Todo, todoLines } from '../../domain/lane/todos.ts'
import { dataSection } from './data-section.ts'

/** Asks a lane for a summary before the older part of its conversation is cut. */
export const summaryRequest = `<context_limit>This conversation is close to your context limit. Your answer will replace its older part. Call no tool; answer with text only. Write for yourself: you will continue with nothing else of that part. Say
- what you have done so far, file by file;
- what you have found out, with paths, lines and names;
- what you tried that did not work, and why;
- where you are, and what comes next.
Leave out the task, its constraints, the plan, findings, verdicts and what people have said. These are kept word for word.</context_limit>`

/**
 * The message in place of the older part. `text` is the model's own summary, empty without one;
 * `todos` its list at that time.
 */
export function summaryMessage(text: string, todos: readonly Todo[] = []): string {
  const own =
    text === ''
      ? 'There is no summary of it. Look again at what you need.'
      : `This is your own summary of it:\n${dataSection('summary', text)}`
  const list = todos.length === 0 ? '' : `Your list was then:\n${dataSection('todos', todoLines(todos).join('\n'))}\n`
  return `The older part of this conversation was cut. ${own}\n${list}The messages to you in that part and the answers to your submissions follow word for word. Then the conversation continues.`
}

/** The text in place of a shortened result. */
export function shortened(characters: number, where = 'call it again if you need them'): string {
  return `[shortened: ${characters} characters; ${where}]`
}

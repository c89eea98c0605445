import { dataSection } from './data-section.ts'

/** What a human says to a lane: the only section of its kind, since no data can open one. */
export function guidanceSection(text: string): string {
  return dataSection('guidance', text, ' from="human"')
}

/** What an editor is told of the humans who follow its work. */
export const humansParagraph =
  'What stands in `<guidance from="human">` is from a person and counts like the task. `read_messages` shows the thread of your work; `post_message` tells the humans who follow it what they should know.'

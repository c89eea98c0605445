import { dataSection } from './data-section.ts'

/** What a human says to a lane: the only section of its kind, since no data can open one. */
export function guidanceSection(text: string): string {
  return dataSection('guidance', text, ' from="human"')
}

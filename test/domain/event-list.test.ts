import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { eventList, eventsDoc } from '../../scripts/event-list.ts'

test('docs/events.md lists every event with its data; `npm run docs` makes it', async () => {
  const doc = await readFile(eventsDoc, 'utf8')
  expect(doc).toBe(await eventList())
  expect(doc.match(/^\| `\w+` \|/gm)?.length).toBeGreaterThan(25)
})

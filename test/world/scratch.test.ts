import { test } from 'vitest'
import { createWorld, edits, submits, FAIL, PASS } from './world.ts'
test('x', async () => {
  const w = await createWorld()
  const d = await w.task('say new').editor(edits({ 'value.txt': 'half\n' }), submits('Half'), edits({ 'value.txt': 'new\n' }), submits('Say new')).verdicts(FAIL, PASS).ends()
  console.log(JSON.stringify(d.result), JSON.stringify(d.events.slice(-6)))
})

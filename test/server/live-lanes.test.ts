import { getEventListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import type { NowChanges } from '../../src/api/now.ts'
import { createLiveLanes, type LaneScope } from '../../src/server/http/live-lanes.ts'

const lane = (story: string, said: string) => ({
  id: `r/${story}`,
  run: 'r',
  story,
  lane: `editor/${story}/CODING`,
  agent: 'editor',
  asking: null,
  said,
  tools: [],
  context: null,
  usdPerMinute: null,
})

const brief = ({ value }: IteratorResult<NowChanges>) => ({
  lanes: (value as NowChanges).lanes.map(({ story, said }) => [story, said]),
  ids: (value as NowChanges).ids,
})

test('a follower gets changes, and a follower of a story only that story’s', async () => {
  const live = createLiveLanes({ look() {}, now: () => new Date(), most: 1 })
  const leaving = new AbortController()
  onTestFinished(() => {
    leaving.abort()
    live.close()
  })
  const follow = (what: LaneScope) => live.follow(what, leaving.signal)
  const all = follow({ run: 'r', story: null })
  const one = follow({ run: 'r', story: 'one' })
  const firsts = Promise.all([all.next(), one.next()])
  const ids = ['r/one', 'r/two']
  live.seen({ lanes: [lane('one', 'a'), lane('two', 'b'), { ...lane('two', 'x'), id: 'q/two', run: 'q' }], ids })
  expect((await firsts).map(brief)).toEqual([
    {
      lanes: [
        ['one', 'a'],
        ['two', 'b'],
      ],
      ids,
    },
    { lanes: [['one', 'a']], ids: ['r/one'] },
  ])
  const [changed, ofOne] = [all.next(), one.next()]
  live.seen({ lanes: [lane('two', 'bb')], ids })
  expect(brief(await changed)).toEqual({ lanes: [['two', 'bb']], ids })
  // Changes that only concern the other story were skipped.
  live.seen({ lanes: [], ids: ['r/two'] })
  expect(brief(await ofOne)).toEqual({ lanes: [], ids: [] })
  expect(brief(await all.next())).toEqual({ lanes: [], ids: ['r/two'] })
  // An owner that is gone leaves no lanes.
  live.seen(null)
  expect(brief(await all.next())).toEqual({ lanes: [], ids: [] })
})

test('a follower that is woken often leaves nothing at the signal of its stream', async () => {
  const live = createLiveLanes({ look() {}, now: () => new Date(), most: 1 })
  const leaving = new AbortController()
  onTestFinished(() => {
    leaving.abort()
    live.close()
  })
  const listeners = () => getEventListeners(leaving.signal, 'abort').length
  const ofStory = live.follow({ run: 'r', story: 'one' }, leaving.signal)
  const first = ofStory.next()
  live.seen({ lanes: [lane('one', 'a'), lane('two', 'b')], ids: ['r/one', 'r/two'] })
  await first
  const second = ofStory.next()
  // The follower waits once its rest is over.
  await expect.poll(listeners).toBe(1)
  const counts = new Set<number>()
  for (let i = 0; i < 1_000; i += 1) {
    live.seen({ lanes: [lane('two', `b${i}`)], ids: ['r/one', 'r/two'] })
    await new Promise(setImmediate)
    counts.add(listeners())
  }
  expect([...counts]).toEqual([1])
  live.seen({ lanes: [lane('one', 'aa')], ids: ['r/one', 'r/two'] })
  expect(brief(await second)).toEqual({ lanes: [['one', 'aa']], ids: ['r/one'] })
})

test('names of runs that there are not leave nothing when their followers have left', async () => {
  const live = createLiveLanes({ look() {}, now: () => new Date(), most: 1 })
  const staying = new AbortController()
  onTestFinished(() => {
    staying.abort()
    live.close()
  })
  // One follower stays, so that the feed never stops.
  const stays = live.follow({ run: 'r', story: null }, staying.signal)
  const told = stays.next()
  live.seen({ lanes: [lane('one', 'a')], ids: ['r/one'] })
  await told
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = heap()
  for (let i = 0; i < 50; i += 1) {
    const leaving = new AbortController()
    const invented = live.follow({ run: `${'x'.repeat(1_000_000)}${i}`, story: null }, leaving.signal)
    await invented.next()
    live.seen({ lanes: [lane('one', `a${i}`)], ids: ['r/one'] })
    leaving.abort()
    await invented.return(undefined)
  }
  expect(heap() - before).toBeLessThan(10_000_000)
})

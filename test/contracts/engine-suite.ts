import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Lane } from '../../src/domain/lane/lane.ts'
import type { Machine, MachineKind } from '../../src/domain/machine.ts'
import type { Slot } from '../../src/domain/slot/slot.ts'
import type { Engine, Step, StepHandler } from '../../src/ports/engine.ts'
import type { JobStore } from '../../src/ports/jobs.ts'
import type { Transaction } from '../../src/ports/store.ts'
import type { EngineAdapter } from './engines.ts'
import { untilIdle } from './until-idle.ts'

export function engineSuite(adapter: EngineAdapter): void {
  let location: string
  let store: JobStore
  let engine: Engine
  let failures: unknown[]
  beforeEach(async () => {
    location = await adapter.store.createLocation()
    await start()
  })
  afterEach(async () => {
    await engine.stop()
    await store.close()
    await adapter.store.remove(location)
  })

  async function start(): Promise<void> {
    store = await adapter.store.open(location)
    failures = []
    engine = adapter.create(store, (error) => failures.push(error))
  }

  /** Simulates a restart after the process has ended in any way. */
  async function restart(): Promise<void> {
    await engine.stop()
    await store.close()
    await start()
  }

  const bare = { kind: 'lane', run: 'run', story: null, data: null } as const

  async function insert(id: string, kind: MachineKind = 'lane'): Promise<Machine> {
    return engine.transact(async (tx) => {
      const machine = await tx.insertMachine({ ...bare, id, kind, state: 'ASKING' })
      await tx.queue(machine)
      return machine
    })
  }

  /** A lane whose next step waits for its time. */
  async function putOff(id: string, at: Date): Promise<Lane> {
    return engine.transact(async (tx) => {
      const lane = (await tx.insertMachine({ ...bare, id, state: 'ACTING' })) as Lane
      return tx.move(lane, 'all_answered', { next: at })
    })
  }

  /**
   * Advances a job's machine by one, and requests the next step while there are fewer than `steps`.
   */
  const advance = (job: Pick<Step, 'machine'>, steps = 1) => {
    return async (tx: Transaction) => {
      const machine = (await tx.machine(job.machine)) as Machine
      const moved = await tx.edit(machine, {})
      await tx.appendEvent({
        run: 'run',
        story: null,
        type: 'tool',
        data: { lane: job.machine, turn: machine.version, tool: 'step', ok: true },
      })
      if (moved.version <= steps) await tx.queue(moved)
    }
  }

  const steps = async () =>
    (await store.events({ after: 0, limit: 5_000 })).flatMap(({ type, data }) =>
      type === 'tool' ? [`${data.lane} ${data.turn}`] : [],
    )

  const idle = () => untilIdle(engine, store)

  const untilAborted = (signal: AbortSignal) =>
    new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

  test('takes one step after another, each of them once', async () => {
    const versions: number[] = []
    engine.work('lane', 1, async (job, commit) => {
      versions.push(job.version)
      expect(await commit(advance(job, 3))).toBe(true)
    })
    await insert('a')
    await idle()
    expect(versions).toEqual([1, 2, 3])
    expect(await steps()).toEqual(['a 1', 'a 2', 'a 3'])
    expect(await store.machine('a')).toMatchObject({ version: 4 })
  })

  test('finds the jobs that were there before anyone worked on their queue', async () => {
    await insert('a')
    await insert('b')
    engine.work('lane', 1, async (job, commit) => void (await commit(advance(job))))
    await idle()
    expect(await steps()).toEqual(['a 1', 'b 1'])
  })

  test('hands a job out again until a commit ends it', async () => {
    let tries = 0
    engine.work('lane', 1, async (job, commit) => {
      tries += 1
      if (tries === 3) await commit(advance(job))
    })
    await insert('a')
    await idle()
    expect(tries).toBe(3)
    expect(await steps()).toEqual(['a 1'])
  })

  test('hands out an interrupted job again at the next start', async () => {
    const under = Promise.withResolvers<void>()
    engine.work('lane', 1, async (_job, _commit, signal) => {
      under.resolve()
      await untilAborted(signal)
    })
    await insert('a')
    await under.promise
    await restart()
    engine.work('lane', 1, async (job, commit) => void (await commit(advance(job))))
    await idle()
    expect(await steps()).toEqual(['a 1'])
  })

  test('lets a job whose machine has moved on change nothing, and forgets it', async () => {
    const machine = await insert('a')
    await engine.transact((tx) => tx.move(machine as Lane, 'called', { next: 'rest' }))
    const answer = Promise.withResolvers<boolean>()
    engine.work('lane', 1, async (job, commit) => answer.resolve(await commit(advance(job))))
    expect(await answer.promise).toBe(false)
    await idle()
    expect(await steps()).toEqual([])
    expect(await store.machine('a')).toMatchObject({ state: 'ACTING', version: 2 })
  })

  test('takes a step again whose machine was edited meanwhile, at the time that it was queued for', async () => {
    const machine = await insert('a')
    const later = await putOff('later', new Date('2099-01-01T00:00:00.000Z'))
    await engine.transact(async (tx) => {
      await tx.edit(machine, { n: 1 })
      await tx.edit<Machine>(later, { n: 1 } as object)
    })
    const under = Promise.withResolvers<void>()
    engine.work('lane', 1, async (job, commit) => {
      if (await commit(advance(job))) under.resolve()
    })
    await under.promise
    expect(await steps()).toEqual(['a 2'])
    const times = (await store.jobs()).map(({ runAt }) => runAt)
    expect(times).toEqual(times.map(() => '2099-01-01T00:00:00.000Z'))
    expect(await store.machine('later')).toMatchObject({ state: 'ASKING', version: 3, data: { n: 1 } })
  })

  test('lets a running step end before the next one of its machine starts', async () => {
    const under = Promise.withResolvers<void>()
    const free = Promise.withResolvers<void>()
    const other = Promise.withResolvers<void>()
    const busy: string[] = []
    let most = 0
    engine.work('lane', 3, async (job, commit) => {
      busy.push(job.machine)
      most = Math.max(most, busy.filter((id) => id === 'a').length)
      if (job.machine === 'b') other.resolve()
      else if (job.version === 1) {
        under.resolve()
        await free.promise
      }
      await commit(advance(job))
      busy.splice(busy.indexOf(job.machine), 1)
    })
    const machine = await insert('a')
    await under.promise
    await engine.transact(async (tx) => void (await tx.move(machine as Lane, 'called', { next: 'queue' })))
    await insert('b')
    // Jobs are taken in order: that of `a` has been skipped when `b` starts.
    await other.promise
    free.resolve()
    await idle()
    expect([most, await steps()]).toEqual([1, ['b 1', 'a 2']])
  })

  test('lets a step that is committed twice change the state once', async () => {
    const answers: boolean[] = []
    engine.work('lane', 1, async (job, commit) => {
      answers.push(...(await Promise.all([commit(advance(job)), commit(advance(job))])))
    })
    await insert('a')
    await idle()
    await engine.stop({ drain: true })
    expect(answers).toEqual([true, false])
    expect(await steps()).toEqual(['a 1'])
  })

  test('writes a step whole or not at all', async () => {
    const failed = Promise.withResolvers<unknown>()
    engine.work('lane', 1, async (job, commit) => {
      const change = commit(async (tx) => {
        await advance(job)(tx)
        throw new Error('in the middle')
      })
      await change.catch(failed.resolve)
      throw await failed.promise
    })
    await insert('a')
    expect(await failed.promise).toMatchObject({ message: 'in the middle' })
    expect(await steps()).toEqual([])
    expect(await store.machine('a')).toMatchObject({ state: 'ASKING', version: 1 })
    expect(await store.jobs()).toMatchObject([{ machine: 'a', version: 1 }])
  })

  test('keeps the job of a rejecting handler for the next start, reports it, and continues with the others', async () => {
    const tried: string[] = []
    const handler: StepHandler = async (job, commit) => {
      tried.push(job.machine)
      if (job.machine === 'bad') throw new Error('broken')
      await commit(advance(job))
    }
    engine.work('lane', 1, handler)
    await insert('bad')
    await insert('good')
    await engine.transact(async () => {})
    while ((await steps()).length === 0) await turn()
    expect(tried).toEqual(['bad', 'good'])
    expect(failures).toMatchObject([{ message: 'broken' }])
    expect(await store.jobs()).toMatchObject([{ machine: 'bad' }])
    await restart()
    engine.work('lane', 1, async (job, commit) => void (await commit(advance(job))))
    await idle()
    expect(await steps()).toEqual(['good 1', 'bad 1'])
  })

  test('does not start a job before its time', async () => {
    const starts: { readonly machine: string; readonly at: number }[] = []
    engine.work('lane', 2, async (job, commit) => {
      starts.push({ machine: job.machine, at: Date.now() })
      await commit(advance(job))
    })
    const later = Date.now() + 150
    await putOff('later', new Date(later))
    await insert('now')
    await idle()
    expect(starts.map(({ machine }) => machine).toSorted()).toEqual(['later', 'now'])
    expect(starts.find(({ machine }) => machine === 'later')?.at).toBeGreaterThanOrEqual(later)
  })

  test('waits for a time further away than a timer reaches', async () => {
    const warnings: Error[] = []
    const listen = (warning: Error) => void warnings.push(warning)
    process.on('warning', listen)
    const started: string[] = []
    engine.work('lane', 2, async (job, commit) => {
      started.push(job.machine)
      await commit(advance(job))
    })
    await putOff('far', new Date(Date.now() + 60 * 86_400_000))
    await insert('now')
    while ((await steps()).length === 0) await turn()
    for (let i = 0; i < 20; i += 1) await turn()
    process.off('warning', listen)
    expect(warnings).toEqual([])
    expect(started).toEqual(['now'])
    expect(await store.jobs()).toMatchObject([{ machine: 'far' }])
  })

  test('works on as many jobs of a queue at once as it may, whatever other queues do', async () => {
    const free = Promise.withResolvers<void>()
    const full = Promise.withResolvers<void>()
    const other = Promise.withResolvers<void>()
    let most = 0
    const busy = new Set<string>()
    engine.work('lane', 2, async (job, commit) => {
      busy.add(job.machine)
      most = Math.max(most, busy.size)
      if (busy.size === 2) full.resolve()
      await free.promise
      await commit(advance(job))
      busy.delete(job.machine)
    })
    engine.work('story', 1, async (job, commit) => {
      await commit(advance(job))
      other.resolve()
    })
    for (const id of ['a', 'b', 'c', 'd', 'e']) await insert(id)
    await full.promise
    await insert('s', 'story')
    await other.promise
    expect([...busy]).toEqual(['a', 'b'])
    free.resolve()
    await idle()
    expect(most).toBe(2)
    expect(await steps()).toHaveLength(6)
  })

  test('drops the steps of a Run: running ones are aborted without a failure, and cannot commit', async () => {
    const under = Promise.withResolvers<void>()
    const committed = Promise.withResolvers<boolean>()
    engine.work('lane', 1, async (step, commit, signal) => {
      under.resolve()
      await untilAborted(signal).catch(async (error) => {
        committed.resolve(await commit(advance(step)))
        throw error
      })
    })
    const dropped = await insert('a')
    await insert('b')
    await engine.transact(async (tx) => {
      const other = await tx.insertMachine({ ...bare, id: 'other', run: 'other', state: 'ASKING' })
      await tx.queue(other)
      await tx.queue(await tx.insertMachine({ ...bare, id: 'told', kind: 'notification', state: 'PENDING' }))
    })
    await under.promise
    expect(await engine.transact((tx) => tx.drop('run', new Set(['b'])))).toEqual(['b'])
    expect(await engine.transact((tx) => tx.drop('run'))).toEqual(['a'])
    expect(await committed.promise).toBe(false)
    await engine.stop({ drain: true })
    expect(failures).toEqual([])
    expect([await steps(), await store.machine('a')]).toMatchObject([[], { ...dropped, data: expect.anything() }])
    expect((await store.jobs()).map(({ machine }) => machine)).toEqual(['other', 'told'])
  })

  test('holds back the steps of a Run that nobody has begun, whatever their time, and lets the others end', async () => {
    const under = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    const begun: string[] = []
    engine.work('lane', 1, async (step, commit) => {
      begun.push(step.machine)
      under.resolve()
      await finish.promise
      await commit(advance(step))
    })
    await insert('a')
    await under.promise
    await insert('b')
    await insert('spared')
    await putOff('later', new Date('2099-01-01T00:00:00.000Z'))
    expect(await engine.transact((tx) => tx.hold('run', ['spared']))).toEqual(['b', 'later'])
    finish.resolve()
    await idle()
    expect([begun, await steps()]).toEqual([
      ['a', 'spared'],
      ['a 1', 'spared 1'],
    ])
    await engine.transact(async (tx) => tx.queue((await tx.machine('b')) as Machine))
    await idle()
    expect(await steps()).toEqual(['a 1', 'spared 1', 'b 1'])
  })

  test('takes a step that was held back in a transaction that failed', async () => {
    await insert('a')
    const failing = engine.transact(async (tx) => {
      await tx.hold('run')
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    engine.work('lane', 1, async (step, commit) => void (await commit(advance(step))))
    await idle()
    expect(await steps()).toEqual(['a 1'])
  })

  test('leaves steps with a slot on another host to the workers there', async () => {
    // A text that a JSON database would reject must not lose a step.
    const name = (slot: string | null) => ({ data: { slot, text: '\u0000 \ud800 "slot":"coder-001"' } })
    const story = { ...bare, kind: 'story', state: 'CODING' } as const
    await engine.transact(async (tx) => {
      for (const [slot, host] of [
        ['coder-001', 'here'],
        ['coder-002', 'there'],
      ] as const) {
        await tx.create({ id: `slot/${slot}`, kind: 'slot', run: '', story: null, data: { name: slot, host } }, 'rest')
      }
      await tx.insertMachine({ ...story, ...name('coder-001'), id: 'run/near', story: 'near' })
      await tx.insertMachine({ ...story, ...name('coder-002'), id: 'run/far', story: 'far' })
      for (const id of ['far', 'near', 'without']) {
        await tx.queue(await tx.insertMachine({ ...bare, id, story: id, state: 'ASKING' }))
      }
    })
    const taken = Promise.withResolvers<void>()
    engine.work('lane', 1, async (step, commit) => {
      await commit(advance(step))
      if (step.machine === 'without') taken.resolve()
    })
    await taken.promise
    expect(await steps()).toEqual(['near 1', 'without 1'])
    await engine.stop()
    engine = adapter.create(store, (error) => failures.push(error), 'there')
    engine.work('lane', 1, async (step, commit) => void (await commit(advance(step))))
    await idle()
    expect(await steps()).toEqual(['near 1', 'without 1', 'far 1'])
  })

  test('gives a queued step to the host that the slot of its story is on by then', async () => {
    const story = { ...bare, kind: 'story', state: 'CODING' } as const
    const slot = (name: string, host: string, state: 'OFFERED' | 'WITHDRAWN' = 'OFFERED') =>
      ({ id: `slot/${name}`, kind: 'slot', run: '', story: null, state, data: { name, host } }) as const
    await engine.transact(async (tx) => {
      await tx.insertMachine(slot('near', 'here'))
      await tx.insertMachine(slot('far', 'there'))
      await tx.insertMachine(slot('moving', 'there', 'WITHDRAWN'))
      for (const [name, slot] of Object.entries({ stays: 'far', goes: 'far', follows: 'moving', ends: 'far' })) {
        await tx.insertMachine({ ...story, data: { slot }, id: `run/${name}`, story: name })
        await tx.queue(await tx.insertMachine({ ...bare, id: name, story: name, state: 'ASKING' }))
      }
    })
    const free = () => store.jobs({ host: 'here', keepsState: false })
    expect(await free()).toEqual([])
    await engine.transact(async (tx) => {
      const [goes, ends] = [await tx.machine('run/goes'), await tx.machine('run/ends')]
      await tx.edit(goes as Machine<string, object>, { slot: 'near' })
      await tx.edit(ends as Machine<string, object>, { slot: null })
      const moving = await tx.machineOf('slot', 'slot/moving')
      await tx.move(moving as Slot, 'offered', { data: { host: 'here' }, next: 'rest' })
    })
    expect((await free()).map(({ machine }) => machine)).toEqual(['goes', 'follows', 'ends'])
  })

  test('hastens a step that waits for its time, and makes none where none is queued', async () => {
    engine.work('lane', 1, async (step, commit) => void (await commit(advance(step))))
    const later = await putOff('later', new Date('2099-01-01T00:00:00.000Z'))
    await engine.transact(async (tx) => {
      await tx.hasten(await tx.insertMachine({ ...bare, id: 'at rest', state: 'ASKING' }))
      await tx.hasten(later)
    })
    await idle()
    expect(await steps()).toEqual(['later 2'])
  })

  test('that is stopped aborts running steps, keeps their jobs, and starts no more', async () => {
    const under = Promise.withResolvers<void>()
    const started: string[] = []
    engine.work('lane', 1, async (job, _commit, signal) => {
      started.push(job.machine)
      under.resolve()
      await untilAborted(signal)
    })
    await insert('a')
    await insert('b')
    await under.promise
    await engine.stop()
    expect(started).toEqual(['a'])
    expect(failures).toEqual([])
    expect((await store.jobs()).map(({ machine }) => machine)).toEqual(['a', 'b'])
  })

  test('that is stopped with drain lets running steps end, and starts no more', async () => {
    const under = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    let aborted = false
    engine.work('lane', 1, async (job, commit, signal) => {
      under.resolve()
      await finish.promise
      aborted = signal.aborted
      await commit(advance(job, 5))
    })
    await insert('a')
    await insert('b')
    await under.promise
    const stopped = engine.stop({ drain: true })
    finish.resolve()
    await stopped
    expect(aborted).toBe(false)
    expect(await steps()).toEqual(['a 1'])
    expect((await store.jobs()).map(({ machine, version }) => [machine, version])).toEqual([
      ['b', 1],
      ['a', 2],
    ])
  })

  test.each(['before', 'while'] as const)('aborts a step that is taken back %s it drains', async (when) => {
    const under = Promise.withResolvers<void>()
    const reasons: string[] = []
    engine.work('lane', 1, async (_job, _commit, signal) => {
      under.resolve()
      await once(signal, 'abort')
      reasons.push(String(signal.reason))
      throw signal.reason
    })
    await insert('a')
    await under.promise
    const dropped = () => engine.transact((tx) => tx.drop('run'))
    if (when === 'before') await dropped()
    const stopped = engine.stop({ drain: true })
    if (when === 'while') await dropped()
    await stopped
    expect(reasons).toEqual(['Error: the step was superseded'])
    expect(failures).toEqual([])
  })

  test('tells who listens of every commit, and of nothing that failed', async () => {
    let heard = 0
    const stopListening = engine.onCommit(() => {
      heard += 1
    })
    await engine.transact((tx) => tx.appendEvent({ run: 'r', story: null, type: 'resumed', data: { lane: 'a' } }))
    expect(heard).toBe(1)
    await engine.transact(() => Promise.reject(new Error('no'))).catch(() => {})
    expect(heard).toBe(1)
    stopListening()
    await engine.transact(async () => {})
    expect(heard).toBe(1)
  })

  test('misses no job, whenever in the turn of the event loop a step ends', async () => {
    let nth = 0
    engine.work('lane', 1, async (job, commit) => {
      await commit(advance(job))
      nth += 1
      for (let i = 0; i < nth % 40; i += 1) await Promise.resolve()
    })
    await engine.transact(async (tx) => {
      for (let n = 0; n < 120; n += 1) {
        await tx.queue(await tx.insertMachine({ ...bare, id: `m${n}`, state: 'ASKING' }))
      }
    })
    await idle()
    expect(await steps()).toHaveLength(120)
  })
}

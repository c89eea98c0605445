import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ChatMessage } from '../../src/domain/chat.ts'
import { limits } from '../../src/domain/limits.ts'
import type { ChatFilter } from '../../src/ports/rows.ts'
import type { Store } from '../../src/ports/store.ts'
import type { StoreAdapter } from './stores.ts'

type Post = Omit<ChatMessage, 'id' | 'timestamp'>

const question: Post = {
  agent_id: 'editor',
  content: 'Which of the two — “a” or “b”? 🛠',
  reply_to: null,
  post_type: 'escalate',
  run: 'run-1',
  story: 'login',
}
const chatter: Post = { ...question, agent_id: 'architect', content: 'hello', post_type: 'chat' }

export function chatSuite(adapter: StoreAdapter): void {
  let location: string
  let store: Store
  beforeEach(async () => {
    location = await adapter.createLocation()
    store = await adapter.open(location)
  })
  afterEach(async () => {
    await store.close()
    await adapter.remove(location)
  })

  const post = (message: Post) => store.transact((tx) => tx.postMessage(message))
  const contents = async (filter: ChatFilter) => (await store.chat(filter)).map(({ content }) => content)

  test('gives a message an id of decimal digits and the time, and returns what is read later', async () => {
    const asked = await post(question)
    const reply = await post({ ...question, agent_id: 'human', content: 'a', reply_to: asked.id, post_type: 'reply' })
    expect(asked).toEqual({ ...question, id: expect.stringMatching(/^\d+$/), timestamp: expect.any(String) })
    expect(asked.timestamp).toBe(new Date(asked.timestamp).toISOString())
    expect(reply).toMatchObject({ agent_id: 'human', content: 'a', reply_to: asked.id, post_type: 'reply' })
    expect(await store.chatMessage(asked.id)).toEqual(asked)
    expect(await store.chat({ run: 'run-1' })).toEqual([asked, reply])
  })

  test('says who of several people has written a message, and nothing of it where nobody is named', async () => {
    const named = await post({ ...chatter, agent_id: 'human', author: 'ada' })
    const unnamed = await post({ ...chatter, agent_id: 'human' })
    expect(named.author).toBe('ada')
    expect(unnamed).not.toHaveProperty('author')
    expect(await store.chat({ run: 'run-1' })).toEqual([named, unnamed])
  })

  test('says which machine waits for the reply to a question', async () => {
    const asked = await post({ ...question, asker: { kind: 'story', machine: 'run-1/login' } })
    expect(asked.asker).toEqual({ kind: 'story', machine: 'run-1/login' })
    expect(await store.chatMessage(asked.id)).toEqual(asked)
  })

  test('is read by Run, story, type, start and number, in order of id', async () => {
    const posts: readonly Partial<Post>[] = [
      { content: '1', story: null },
      { content: '2', story: 'login' },
      { content: '3', run: 'run-2', story: null },
      { content: '4', story: 'logout', post_type: 'escalate' },
      { content: '5', story: null, post_type: 'escalate' },
      { content: '6', story: 'login', post_type: 'escalate' },
    ]
    const ids: string[] = []
    for (const one of posts) ids.push((await post({ ...chatter, ...one })).id)
    expect(await contents({ run: 'run-1' })).toEqual(['1', '2', '4', '5', '6'])
    expect(await contents({ run: 'run-2' })).toEqual(['3'])
    expect(await contents({ run: 'none' })).toEqual([])
    expect(await contents({ run: 'run-1', story: null })).toEqual(['1', '5'])
    expect(await contents({ run: 'run-1', story: 'login' })).toEqual(['2', '6'])
    expect(await contents({ run: 'run-1', postType: 'escalate' })).toEqual(['4', '5', '6'])
    expect(await contents({ run: 'run-1', limit: 2 })).toEqual(['1', '2'])
    expect(await contents({ run: 'run-1', after: '0' })).toEqual(['1', '2', '4', '5', '6'])
    expect(await contents({ run: 'run-1', after: ids[2] ?? '' })).toEqual(['4', '5', '6'])
    const next: ChatFilter = { run: 'run-1', story: 'login', after: ids[1] ?? '', postType: 'escalate', limit: 1 }
    expect(await contents(next)).toEqual(['6'])
  })

  test('is in order of number, not of text, once ids get longer', async () => {
    const ids: string[] = []
    await store.transact(async (tx) => {
      for (let n = 0; n < 12; n += 1) ids.push((await tx.postMessage(chatter)).id)
    })
    expect((await store.chat({ run: 'run-1' })).map(({ id }) => id)).toEqual(ids)
    expect((await store.chat({ run: 'run-1', after: ids[8] ?? '' })).map(({ id }) => id)).toEqual(ids.slice(9))
  })

  test('finds no message for a text that is not an id', async () => {
    const { id } = await post(question)
    const texts = ['', '0', 'x', `0${id}`, ` ${id}`, `${id}.0`, `${id} or 1=1`, `-${id}`, '1e0', '9'.repeat(400)]
    expect(await Promise.all(texts.map((text) => store.chatMessage(text)))).toEqual(texts.map(() => null))
    expect(await store.chatMessage(String(Number(id) + 1))).toBeNull()
    await expect(store.chat({ run: 'run-1', after: 'x' })).rejects.toThrow('"x" is no id of a message')
  })

  test('takes no answer to what is not in the same Run, and keeps nothing of that transaction', async () => {
    const elsewhere = await post({ ...question, run: 'run-2' })
    for (const reply_to of [elsewhere.id, '999', 'x', '']) {
      const answering = store.transact(async (tx) => {
        await tx.postMessage(chatter)
        await tx.postMessage({ ...question, reply_to, post_type: 'reply' })
      })
      await expect(answering).rejects.toThrow(`Run run-1 has no message ${reply_to}`)
    }
    expect(await store.chat({ run: 'run-1' })).toEqual([])
  })

  test('takes a message as long as the limit and none that is longer', async () => {
    const longest = 'x'.repeat(limits.chatChars)
    expect(await post({ ...chatter, content: longest })).toMatchObject({ content: longest })
    await expect(post({ ...chatter, content: `${longest}x` })).rejects.toThrow('a chat message of 4097 characters')
    expect(await contents({ run: 'run-1' })).toEqual([longest])
  })

  test('is seen at once by who posts, and by others after the commit; after a rollback never', async () => {
    const failing = store.transact(async (tx) => {
      const { id } = await tx.postMessage(chatter)
      expect(await tx.chat({ run: 'run-1' })).toMatchObject([{ id }])
      expect(await store.chat({ run: 'run-1' })).toEqual([])
      throw new Error('at the end')
    })
    await expect(failing).rejects.toThrow('at the end')
    expect(await store.chat({ run: 'run-1' })).toEqual([])
  })

  test('keeps its ids when it is closed and opened again, and continues from them', async () => {
    const before = [await post(question), await post(chatter)]
    await store.close()
    store = await adapter.open(location)
    const later = await post(chatter)
    expect(await store.chat({ run: 'run-1' })).toEqual([...before, later])
    expect(Number(later.id)).toBeGreaterThan(Number(before[1]?.id))
  })
}

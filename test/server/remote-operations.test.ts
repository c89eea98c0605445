import { expect, test } from 'vitest'
import { routes } from '../../src/api/routes.ts'
import { remoteOperations, requestFor } from '../../src/app/operations/remote.ts'

test('an operation of a hub is one request: parts in the path, the rest in the body or the query', async () => {
  const asked: unknown[] = []
  const operations = remoteOperations({ ask: async (request) => void asked.push(request) })
  await operations.post({ run: 'a/b c', story: 'one', text: 'Hi.' })
  await operations.storyTimeline({ run: 'r', story: 's', limit: 5, text: 'x&y' })
  await operations.tokens({})
  const body = JSON.stringify({ story: 'one', text: 'Hi.' })
  expect(asked).toEqual([
    { method: 'POST', path: '/api/runs/a%2Fb%20c/posts', body, key: expect.stringMatching(/^[\w-]{36}$/) },
    { method: 'GET', path: '/api/runs/r/stories/s/timeline?limit=5&text=x%26y' },
    { method: 'GET', path: '/api/tokens' },
  ])
})

test('a field that says what its absence says is not sent: an older hub may not know it', () => {
  const task = routes.startTask.body.parse({ task: 'Do it.' })
  expect(requestFor(routes.startTask, task)).toEqual({ method: 'POST', path: '/api/tasks', body: { task: 'Do it.' } })
  const sent = { ...task, review: true, budget_usd: 2, models: undefined }
  expect(requestFor(routes.startTask, sent).body).toEqual({ task: 'Do it.', review: true, budget_usd: 2 })
  const retried = requestFor(routes.retry, { run: 'r', models: { editor: 'a:b' } })
  expect(retried).toEqual({ method: 'POST', path: '/api/runs/r/retry', body: { models: { editor: 'a:b' } } })
})

/** Every page of the dashboard by its address, for a Run and one story of it. */
export function pagesOf(run: string, story: string): readonly string[] {
  const ofRun = [
    '',
    '/plan',
    '/schedule',
    '/schedule?view=table',
    '/agents',
    `/agents/${story}`,
    '/chat',
    '/verifications',
    '/activity',
    '/activity/calls',
    '/diff',
  ]
  const ofStory = ['', '/diff', '/verifications', '/reviews', '/scouts', '/timeline', '/cost']
  return [
    ...['#/', '#/questions', '#/start', '#/receipts', '#/repositories', '#/settings'],
    ...[...ofRun, '/report', '/figures'].map((page) => `#/runs/${run}${page}`),
    ...ofStory.map((page) => `#/runs/${run}/stories/${story}${page}`),
  ]
}

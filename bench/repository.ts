import { createFixture, type Fixture, passWhenNew } from '../test/scenarios/world/fixture.ts'

export const filesOfLargeRepository = 5_000

export const moduleFile = (number: number): string => `src/area-${Math.floor(number / 100)}/module-${number}.ts`

/** A repository of `count` modules of about 2 kB; its test passes once value.txt says "new". */
export function createRepository(count: number): Promise<Fixture> {
  const modules = Array.from({ length: count }, (_, number) => [moduleFile(number), moduleText(number)] as const)
  return createFixture({
    files: { 'README.md': '# Modules\n', '.gitignore': 'build/\n', ...Object.fromEntries(modules) },
    steps: [passWhenNew],
    config: { editor: { coding_iterations: 400, turns_without_progress: 400 } },
  })
}

export function moduleText(number: number): string {
  const functions = Array.from({ length: 20 }, (_, i) => {
    return `/** Part ${i} of module ${number}. */\nexport function part${i}(value: number): number {\n  return value * ${number} + ${i}\n}\n`
  })
  return functions.join('\n')
}

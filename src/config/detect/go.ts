import type { Found, Project } from './project.ts'
import { present, reportFile, reportPath } from './project.ts'

const modules = '.drydock/go'
const modulePath = `GOMODCACHE="$PWD/${modules}"`

/**
 * A project with a go.mod; its modules are downloaded into a folder of their own unless they are in
 * vendor/.
 */
export function detectGo(project: Project): Found | null {
  const manifest = project.files['go.mod']
  if (manifest === undefined) return null
  const vendored = project.folders.has('vendor')
  const downloaded = !vendored && /^\s*require\b/m.test(manifest)
  const go = downloaded ? `${modulePath} go` : 'go'
  // It wins over the -mod=readonly that steps have in their environment.
  const flag = vendored ? ' -mod=vendor' : ''
  const reports = manifest.includes('gotest.tools/gotestsum')
  const test = reports
    ? {
        command: `${go} run${flag} gotest.tools/gotestsum --junitfile "${reportPath}" --${flag} ./...`,
        junit: reportFile,
      }
    : { command: `${go} test -json${flag} ./...` }
  return {
    system: 'go',
    from: 'go.mod',
    ...(downloaded && {
      prepare: {
        name: 'modules',
        // Writable, so that the layer can be removed one day.
        command: `${modulePath} GOFLAGS=-modcacherw go mod download`,
        inputs: [...present(project, ['go.mod', 'go.sum'])],
        outputs: [modules],
        network: ['registry'],
      },
    }),
    steps: [
      { name: 'build', command: `${go} build${flag} ./...` },
      { name: 'vet', command: `${go} vet${flag} ./...` },
      { name: 'test', ...test },
    ],
    // A test that is not to the taste of `vet` is not even built.
    ...(!reports && { instead: [{ name: 'test', command: `${go} test -json -vet=off${flag} ./...` }] }),
    programs: ['go'],
  }
}

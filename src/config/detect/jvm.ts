import type { Found, Project } from './project.ts'
import { present, reportFile, reportPath } from './project.ts'

const mavenHome = '.drydock/m2'
const gradleHome = '.drydock/gradle'
/** Where a machine without a mirror gets packages from. */
const hosts = ['registry', 'repo.maven.apache.org', 'repo1.maven.org']

/** A project of Maven, with the machine's own Maven. */
export function detectMaven(project: Project): Found | null {
  if (!('pom.xml' in project.files)) return null
  const maven = `mvn -B -ntp -Dmaven.repo.local="$PWD/${mavenHome}"`
  const inputs = Object.keys(project.files).filter((path) => /(?:^|\/)pom\.xml$/.test(path))
  return {
    system: 'maven',
    from: 'pom.xml',
    prepare: {
      name: 'packages',
      // What runs the tests is fetched when they are run, and not before.
      command: `${maven} -Dmaven.test.failure.ignore=true test`,
      inputs,
      outputs: [mavenHome],
      network: hosts,
    },
    steps: [{ name: 'test', ...reported(`${maven} -o test`, 'surefire-reports') }],
    overlay: 'Maven builds into the folder target',
    programs: ['mvn', 'java'],
  }
}

const gradleFiles = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts']

/** A project of Gradle, with the Gradle that it brings. */
export function detectGradle(project: Project): Found | null {
  const [from] = present(project, gradleFiles)
  if (from === undefined) return null
  const gradle = 'gradlew' in project.files ? 'sh ./gradlew' : 'gradle'
  const names =
    /(?:^|\/)(?:(?:build|settings)\.gradle(?:\.kts)?|gradle\.properties|libs\.versions\.toml|gradle-wrapper\.properties)$/
  // A result from its cache would be no run of the tests.
  const run = '--no-daemon --no-build-cache'
  const copied = '"$TMPDIR/gradle"'
  return {
    system: 'gradle',
    from,
    prepare: {
      name: 'packages',
      command: `${gradle} -g ${gradleHome} ${run} testClasses && { ${gradle} -g ${gradleHome} ${run} --continue test || true; }`,
      inputs: Object.keys(project.files).filter((path) => names.test(path)),
      outputs: [gradleHome],
      network: [
        ...hosts,
        'services.gradle.org',
        'plugins.gradle.org',
        'plugins-artifacts.gradle.org',
        'downloads.gradle.org',
      ],
    },
    steps: [
      {
        name: 'test',
        // Gradle writes into its home, whatever it does.
        ...reported(`cp -R ${gradleHome} ${copied} && ${gradle} -g ${copied} --offline ${run} test`, 'test-results'),
      },
    ],
    overlay: 'Gradle builds into the folder build',
    programs: gradle === 'gradle' ? ['gradle', 'java'] : ['java'],
  }
}

/** A report for each class becomes one of all of them. */
function reported(command: string, folder: string): { readonly command: string; readonly junit: string } {
  const join = `find . -path "*/${folder}/*" -name "TEST-*.xml" -exec sed "s/<?xml[^>]*?>//" {} +`
  return {
    command: `${command}; end=$?; { echo "<testsuites>"; ${join}; echo "</testsuites>"; } > "${reportPath}"; exit $end`,
    junit: reportFile,
  }
}

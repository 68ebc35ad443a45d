// node under_node.js tilewalk.js [word]...: the program of the page as a command line. Files that it writes under /out
// come to the folder named by TILEWALK_OUT.
const fs = require('fs'), path = require('path');
delete globalThis.fetch;  // the script takes a node that has it for a browser
const script = path.resolve(process.argv[2]), out = process.env.TILEWALK_OUT;
process.argv.splice(1, 2, script);
process.chdir(path.dirname(script));  // where its data are
const program = require(script);
program.preRun = [() => out && program.FS.mkdir('/out')];
program.postRun = [() => {
  if (!out) return;
  for (const name of program.FS.readdir('/out')) {
    if (!name.startsWith('.')) fs.writeFileSync(path.join(out, name), program.FS.readFile('/out/' + name));
  }
}];

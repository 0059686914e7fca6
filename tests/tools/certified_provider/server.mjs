// A certified OpenID Connect provider on this machine. Arguments: its port, the address that browsers return to. Each
// line on standard input is a JSON object: the groups that the person is in from now on, or null: she has left.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import Provider from "oidc-provider";

const [port, back] = process.argv.slice(2);
let groups = ["researchers"];

const provider = new Provider(`http://localhost:${port}`, {
    clients: [{
        client_id: "candor",
        client_secret: "a secret of the client",
        redirect_uris: [back],
        grant_types: ["authorization_code", "refresh_token"],
    }],
    claims: { openid: ["sub"], email: ["email"], profile: ["preferred_username", "groups"] },
    cookies: { keys: ["a key of the tests"] },
    pkce: { required: () => true },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    findAccount: async (context, id) => groups === null ? undefined : {
        accountId: id,
        claims: async () => ({ sub: id, preferred_username: id, email: `${id}@example.org`, groups }),
    },
});

createInterface({ input: process.stdin }).on("line", (line) => {
    groups = JSON.parse(line);
    process.stdout.write("noted\n");
}).on("close", () => process.exit());
createServer(provider.callback()).listen(Number(port), "localhost", () => process.stdout.write("listening\n"));

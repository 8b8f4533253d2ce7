use std::sync::Arc;
use std::time::Duration;

use waymark_snapshot::{NodeId, Role, UiSnapshot, WindowKey};
use waymark_surface::{Driver as _, FrameQuery, Hidden, HintQuery, Observe, PictureRequest, Reaction, Settling, Until};

use super::{SOON, both, delivered, find, has_text, text};

both! {
    a_frameset_is_one_tree_with_a_scope_per_frame(tab) {
        let seen = tab.open(&tab.server.url("/F01.html")).await;
        let paths: Vec<String> = seen
            .snapshot
            .scopes()
            .iter()
            .map(|s| s.path.iter().map(|f| f.name.as_str()).collect::<Vec<_>>().join("/"))
            .collect();
        assert_eq!(paths, ["", "nav", "bar", "work"].map(str::to_owned), "{}", waymark_snapshot::print(&seen.snapshot));
        assert!(seen.snapshot.scopes().iter().all(|s| s.readable));
        // Boxes count from the window: the work frame lies to the right of the navigation.
        let nav = seen.snapshot.nodes().iter().find(|n| n.role == Role::Link).unwrap();
        assert!(nav.bounds.unwrap().x < 300, "{nav:?}");
    }

    hidden_text_is_not_seen(tab) {
        let seen = tab.page("<p>Shown</p><p style='display:none'>Gone</p><p style='visibility:hidden'>Gone</p><p hidden>Gone</p>").await;
        assert_eq!(text(&seen), "Shown");
    }

    a_password_is_never_in_a_snapshot(tab) {
        tab.page("<input id=p type=password aria-label=PIN value=canary-4711><button onclick=\"p.type='text'\">Show</button>").await;
        let before = waymark_snapshot::print(&tab.look().await.snapshot);
        assert!(!before.contains("canary"), "{before}");
        assert_eq!(tab.click(Role::Button, "Show").await, delivered());
        let after = waymark_snapshot::print(&tab.settled().await.snapshot);
        assert!(!after.contains("canary"), "{after}");
    }

    shadow_roots_are_seen_through_also_around_a_frame(tab) {
        let seen = tab.open(&tab.server.url("/L10.html")).await;
        find(&seen, &Role::TextBox, "PIN");
        let button = find(&seen, &Role::Button, "Go");
        let node = seen.snapshot.node(seen.snapshot.find(&button).unwrap());
        assert_eq!(seen.snapshot.scope(node.scope).path.len(), 1);
        assert_eq!(tab.click(Role::Button, "Go").await, delivered());
    }

    hints_are_looked_up_in_their_frame_alone(tab) {
        tab.open(&tab.server.url("/F01.html")).await;
        let in_nav = HintQuery { frame: FrameQuery { window: None, path: vec!["nav".into()] }, hint: "a".into() };
        let in_top = HintQuery { frame: FrameQuery::default(), hint: "a".into() };
        let broken = HintQuery { frame: FrameQuery::default(), hint: "a[".into() };
        let request = Observe { hints: vec![in_nav, in_top, broken], ..Observe::default() };
        let seen = tab.driver.observe(&request, SOON).await.unwrap();
        assert_eq!(seen.hints.iter().map(|h| h.is_empty()).collect::<Vec<_>>(), [false, true, true]);
        assert!(seen.snapshot.find(&seen.hints[0][0]).is_some());
    }

    waiting_for_a_change_does_not_look_at_everything_again(tab) {
        tab.open(&tab.server.url("/F01.html")).await;
        let last = tab.look().await.number;
        let before = tab.driver.calls();
        let seen = tab.see(Until::Change { after: last }, Duration::from_millis(200)).await.unwrap();
        assert_eq!(seen.settling, Settling::Settled);
        assert_eq!(tab.driver.calls(), before, "nothing changed, and nothing was asked");
    }

    hints_that_are_new_while_waiting_for_a_change_are_looked_up(tab) {
        tab.open(&tab.server.url("/F01.html")).await;
        let after = tab.look().await.number;
        let hint = HintQuery { frame: FrameQuery { window: None, path: vec!["nav".into()] }, hint: "a".into() };
        let request = Observe { hints: vec![hint], until: Until::Change { after }, ..Observe::default() };
        let seen = tab.driver.observe(&request, Duration::from_secs(2)).await.unwrap();
        assert!(!seen.hints[0].is_empty());
    }

    hints_are_short_and_of_what_a_program_calls_things_and_find_the_thing_alone(tab) {
        let page = "<!doctype html><form id='pay' class='form'><p><button>One</button><button name='go'>Two</button></p>\
            <div class='row12345 toolbar active'><button>Three</button></div></form>\
            <div id='owner-4711'><div id='Jane Roe'><button id='b\"]x'>Four</button></div></div>\
            <div><div><div><div><div><button>Five</button></div></div></div></div></div><button id='same'>Six</button><button id='same'>Seven</button>\
            <my-box id='box'></my-box><script>box.attachShadow({mode:'open'}).innerHTML = \"<p id='in'><button>Eight</button></p>\"</script>";
        let seen = tab.page(page).await;
        let mut told = String::new();
        for name in ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight"] {
            let node = find(&seen, &Role::Button, name);
            let hint = tab.driver.hint(&node, SOON).await;
            if let Some(hint) = hint.clone() {
                let queries = vec![HintQuery { frame: FrameQuery::default(), hint }];
                let seen = tab.driver.observe(&Observe { hints: queries, ..Observe::default() }, SOON).await.unwrap();
                assert_eq!(seen.hints, [vec![node]], "{name}");
            }
            told += &format!("{name}: {}\n", hint.unwrap_or_default());
        }
        let expected = "One: form[id=\"pay\"] > p:nth-of-type(1) > button:nth-of-type(1)\nTwo: button[name=\"go\"]\n\
            Three: div.toolbar > button:nth-of-type(1)\nFour: \nFive: \nSix: \nSeven: \n\
            Eight: my-box[id=\"box\"] >>> p[id=\"in\"] > button:nth-of-type(1)\n";
        assert_eq!(told, expected);
        tab.page("<p>else</p>").await;
        assert_eq!(tab.driver.hint(&find(&seen, &Role::Button, "Two"), SOON).await, None, "the document is another one");
    }

    a_hint_that_another_step_asks_for_is_never_taken_for_this_ones(tab) {
        tab.page("<!doctype html><button id='a'>A</button><button id='b'>B</button>").await;
        let ask = |hints: &[&str]| Observe {
            hints: hints.iter().map(|h| HintQuery { frame: FrameQuery::default(), hint: (*h).into() }).collect(),
            ..Observe::default()
        };
        let both = tab.driver.observe(&ask(&["#a", "#b"]), SOON).await.unwrap();
        let (a, b) = (find(&both, &Role::Button, "A"), find(&both, &Role::Button, "B"));
        assert_eq!(both.hints, [vec![a], vec![b.clone()]]);
        assert_eq!(tab.driver.observe(&ask(&["#b"]), SOON).await.unwrap().hints, [vec![b]]);
    }

    cells_have_the_boxes_that_the_browser_gives_them(tab) {
        let rows = "<tr><td>a<td colspan=2>b wide one<td>c</tr><tr><td rowspan=2>d<br>d<td>e<td>f<td>g<br>g</tr><tr><td>h<td>i<td>j</tr>";
        let styled = "<tr><td style='position:relative;left:9px;top:3px'>a<td style='transform:scale(2)'>b<td>c</tr><tr><td>d<td>e<td style='display:block'>f</tr><tr style='position:relative;left:30px'><td>g<td>h<td>i</tr><tr style='display:block'><td>j<td>k</tr>";
        let tables = ["", "border=1 cellspacing=7 cellpadding=3", "style='border-collapse:collapse' border=1", "dir=rtl border=1", "style='writing-mode:vertical-rl'", "style='transform:rotate(20deg)'", "style='width:73.3%;margin-left:0.4px'"];
        let mut page = "<!doctype html><style>td{border:1px solid}th{position:sticky;top:0}</style><div style='columns:2'>".to_owned();
        for table in tables {
            page += &format!("<table {table}><caption>x</caption><tfoot><tr><td>foot<td>f</tr></tfoot><thead style='transform:translateX(4px)'><tr><th>one<th>two<th>three<th>four</tr></thead><tbody>{rows}</tbody><tbody>{styled}</tbody></table>");
        }
        tab.page(&page).await;
        let probe = tab.driver.probe(&WindowKey::main()).unwrap();
        let compare = "(() => { const cells = wm.walk({hints: []}).nodes.filter(node => node[12]); \
            const boxes = wm.rects(cells.map(node => node[0])); \
            return [cells.length, cells.map((node, at) => [node[3], String(node.slice(6, 10)), String(boxes[at])]).filter(row => row[1] !== row[2])]; })()";
        let found = probe.agent(compare).await.unwrap();
        assert!(found[0].as_u64().unwrap() > 150, "{found}");
        assert_eq!(found[1], serde_json::json!([]));
    }

    a_look_at_one_frame_is_one_call_and_another_one_right_after_it_none(tab) {
        tab.page("<button>Go</button>").await;
        tokio::time::sleep(Duration::from_millis(60)).await;
        let before = tab.driver.calls();
        let seen = tab.look().await;
        assert_eq!(tab.driver.calls() - before, 1);
        let again = tab.look().await;
        // A machine that took a nap in between looks once more.
        assert!(tab.driver.calls() - before <= 2);
        assert_eq!(again.snapshot, seen.snapshot);
    }

    a_frame_that_is_not_watched_is_walked_only_where_something_was_noticed(tab) {
        tab.server.answer("/inner", crate::common::Answer::Page("<p id=p>In</p>".into()));
        tab.page("<iframe src='/inner' name=in></iframe><button>Go</button>").await;
        let probe = tab.driver.probe(&WindowKey::main()).unwrap();
        let own = Observe { watch: vec![FrameQuery::default()], ..Observe::default() };
        tab.driver.observe(&own, SOON).await.unwrap();
        tokio::time::sleep(Duration::from_millis(60)).await;
        let before = tab.driver.calls();
        tab.driver.observe(&own, SOON).await.unwrap();
        assert_eq!(tab.driver.calls() - before, 1, "the frame that is watched");
        probe.evaluate("document.querySelector('iframe').contentDocument.getElementById('p').textContent = 'Other'").await.unwrap();
        let seen = tab.driver.observe(&own, SOON).await.unwrap();
        assert!(text(&seen).contains("Other"), "{}", text(&seen));
    }

    a_value_that_a_script_sets_in_a_watched_frame_is_seen_at_the_next_look(tab) {
        tab.page("<input id=f value=old><button>Go</button>").await;
        let probe = tab.driver.probe(&WindowKey::main()).unwrap();
        for value in ["one", "two", "three"] {
            tab.look().await;
            // Nothing tells of it: no mutation, no event.
            probe.evaluate(&format!("f.value = '{value}'")).await.unwrap();
            let seen = tab.look().await;
            assert!(seen.snapshot.nodes().iter().any(|node| node.value.as_deref() == Some(value)), "{value}");
        }
    }

    a_late_answer_is_waited_for(tab) {
        tab.server.answer("/data", crate::common::Answer::Page("ok".into()));
        tab.page("<p id=r>Idle</p><button onclick=\"fetch('/data').then(x=>x.text()).then(t=>{r.textContent='Got '+t})\">Load</button>").await;
        assert_eq!(tab.click(Role::Button, "Load").await, delivered());
        let seen = tab.settled().await;
        assert_eq!(text(&seen).lines().next(), Some("Got ok"));
        assert_eq!((seen.reaction, seen.answered), (Reaction::Content, 1));
    }

    a_click_that_does_nothing_is_no_reaction(tab) {
        tab.page("<button>Dead</button>").await;
        assert_eq!(tab.click(Role::Button, "Dead").await, delivered());
        let seen = tab.settled().await;
        assert_eq!((seen.reaction, seen.answered), (Reaction::None, 0));
    }

    an_open_request_keeps_the_frame_from_resting(tab) {
        tab.server.answer("/never", crate::common::Answer::Never);
        tab.page("<button onclick=\"fetch('/never')\">Load</button>").await;
        assert_eq!(tab.click(Role::Button, "Load").await, delivered());
        let seen = tab.until(|seen| seen.settling == Settling::Requesting).await;
        assert_eq!(seen.reaction, Reaction::Request);
    }

    a_page_that_polls_is_ready_when_its_text_is(tab) {
        tab.open(&tab.server.url("/T03.html")).await;
        let began = std::time::Instant::now();
        tab.until(has_text("Ready")).await;
        assert!(began.elapsed().as_secs() < 3);
    }

    a_picture_comes_with_the_boxes_to_mask(tab) {
        tab.server.answer("/inner", crate::common::Answer::Page("<body style='margin:0'><input type=password style='position:absolute;left:10px;top:20px;width:100px;height:30px;box-sizing:border-box;border:0;padding:0'>".into()));
        let seen = tab.page("<body style='margin:0'><button>Go</button><iframe src='/inner' style='position:absolute;left:200px;top:100px;border:0'></iframe>").await;
        assert!(waymark_snapshot::print(&seen.snapshot).contains("Go"));
        let request = PictureRequest { window: WindowKey::main(), hidden: Arc::new(Named("Go")) };
        let picture = tab.driver.picture(&request, SOON).await.unwrap();
        assert!(picture.png.starts_with(b"\x89PNG"));
        assert_eq!((picture.certain, picture.scale_milli), (Ok(()), 1000));
        let rect = |x, y, w, h| waymark_snapshot::Rect { x, y, w, h };
        assert!(picture.boxes.contains(&rect(210, 120, 100, 30)), "{:?}", picture.boxes);
        assert!(picture.boxes.iter().any(|b| b.x < 10 && b.y < 10 && b.w < 100), "{:?}", picture.boxes);
        let nothing = PictureRequest { window: WindowKey::main(), hidden: Arc::new(Named("nobody")) };
        assert_eq!(tab.driver.picture(&nothing, SOON).await.unwrap().boxes, [rect(210, 120, 100, 30)]);
    }
}

/// Hides what has this name.
pub(super) struct Named(pub(super) &'static str);

impl Hidden for Named {
    fn nodes(&self, screen: &UiSnapshot) -> Vec<NodeId> {
        screen.nodes().iter().filter(|n| n.name == self.0).map(|n| n.id.clone()).collect()
    }

    fn text(&self, text: &str) -> bool {
        text.contains(self.0)
    }

    fn any(&self) -> bool {
        false
    }
}

from django.contrib import admin
from django.urls import include, path

from surveys.panel import acts, gallery, opening, paper, plan, preview, rehearse, sharing, views, watch

app_name = "panel"
page = admin.site.admin_view  # who is not signed in is asked to; every POST needs its CSRF token

urlpatterns = [
    path("", include("surveys.people.urls")),
    path("", page(views.index), name="index"),
    path("new/", page(gallery.new), name="new"),
    path("templates/", page(gallery.templates), name="templates"),
    path("upload/", page(views.upload), name="upload"),
    path("plan/", page(plan.free), name="plan"),
    path("survey/<slug:slug>/plan/", page(plan.of_survey), name="survey-plan"),
    path("survey/<slug:slug>/plan/use", page(plan.use), name="use"),
    path("survey/<slug:slug>/", page(views.survey), name="survey"),
    path("survey/<slug:slug>/watch/", page(watch.watch), name="survey-watch"),
    path("preview/", page(preview.of_form), name="preview-form"),
    path("survey/<slug:slug>/preview/", page(preview.of_survey), name="preview"),
    path("survey/<slug:slug>/preview/page", page(preview.page_of_survey), name="preview-page"),
    path("survey/<slug:slug>/rehearse/", page(rehearse.rehearse), name="rehearse"),
    path("survey/<slug:slug>/rehearse/<int:number>/", page(rehearse.rehearsal), name="rehearsal"),
    path("survey/<slug:slug>/rehearse/<int:number>/repeat", page(rehearse.repeat), name="rehearsal-repeat"),
    path("survey/<slug:slug>/rehearse/<int:number>/stop", page(rehearse.stop), name="rehearsal-stop"),
    path("survey/<slug:slug>/rehearse/<int:number>/delete", page(rehearse.delete), name="rehearsal-delete"),
    path("survey/<slug:slug>/definition.yaml", page(views.definition), name="definition"),
    path("survey/<slug:slug>/open/", page(opening.opening), name="opening"),
    path("survey/<slug:slug>/open/extend", page(opening.extend), name="extend"),
    path("survey/<slug:slug>/open/call-off", page(opening.call_off), name="call-off"),
    path("survey/<slug:slug>/close", page(acts.close), name="close"),
    path("survey/<slug:slug>/revise", page(acts.revise), name="revise"),
    path("survey/<slug:slug>/estimate", page(acts.estimate), name="estimate"),
    path("survey/<slug:slug>/duplicate", page(acts.duplicate), name="duplicate"),
    path("survey/<slug:slug>/archive", page(acts.archive), name="archive"),
    path("survey/<slug:slug>/restore", page(acts.restore), name="restore"),
    path("survey/<slug:slug>/share/", page(sharing.share), name="share"),
    path("survey/<slug:slug>/share/code.svg", page(sharing.code_as_svg), name="share-svg"),
    path("survey/<slug:slug>/share/code.png", page(sharing.code_as_png), name="share-png"),
    path("survey/<slug:slug>/share/poster.pdf", page(sharing.poster), name="share-poster"),
    path("survey/<slug:slug>/share/embed", page(sharing.embed), name="embed"),
    path("survey/<slug:slug>/share/results", page(sharing.show_results), name="show-results"),
    path("survey/<slug:slug>/paper/", page(paper.paper), name="paper"),
    path("survey/<slug:slug>/paper/new-pile", page(paper.new_pile), name="paper-pile"),
    path("run/<str:key>/", page(views.report), name="report"),
    path("run/<str:key>/estimates.csv", page(views.estimates), name="report-csv"),
    path("run/<str:key>/report.json", page(views.document), name="report-json"),
    path("run/<str:key>/publish", page(acts.publish), name="publish"),
]
